"""Other plugins and download handlers together with this package, in real crawls."""
