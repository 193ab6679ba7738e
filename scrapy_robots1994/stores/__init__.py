"""Stores for policies: memory, SQLite, Redis, or your own class."""
