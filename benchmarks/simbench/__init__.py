"""SimBenchmark (RaiSim's authors, 2018) rebuilt: nine scenes, engines side by side.

    PYTHONPATH=benchmarks python -m simbench          (or: make simbench)

`scene` says what a scene is, `families` lists the modules that describe the scenes and their errors,
`engines` builds a scene in each engine, `worker` runs one engine in a process of its own.
"""
