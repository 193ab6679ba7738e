"""What tests stand on: a scripted HTTP server, real crawls, and a corpus of files."""
