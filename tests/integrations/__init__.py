"""Other people's plugins and download handlers beside ours, each crawling for real."""
