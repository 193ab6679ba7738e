"""A scripted HTTP server, real crawls, a corpus of robots.txt files, and other helpers."""
