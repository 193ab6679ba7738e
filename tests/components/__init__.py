"""Every kind of spider and component that sends requests, crawling for real."""
