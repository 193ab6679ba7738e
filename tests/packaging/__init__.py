"""The release is built, checked, and installed outside the source folder."""
