"""A comparison of the dialect `rfc9309` with other RFC 9309 programs, on real sites."""
