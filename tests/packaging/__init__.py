"""Build the release, check it, and install it outside the source folder."""
