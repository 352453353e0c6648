"""One module per engine: `NAME`, `SETTINGS` (mode → what it means), `version()`, `Engine(scene, mode)`."""
