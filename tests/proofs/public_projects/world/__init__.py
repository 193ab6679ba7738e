"""The folder that goes on a stranger's path, so that Python finds our sitecustomize."""
