"""Policies: trained by PPO, kept in checkpoints, exported and played."""
