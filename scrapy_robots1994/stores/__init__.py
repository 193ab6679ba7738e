"""Stores of what origins said: in memory, in SQLite, in Redis, or in a class of your own."""
