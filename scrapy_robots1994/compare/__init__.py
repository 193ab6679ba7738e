"""Compare our parser with other parsers, decision by decision, and find the lines because of which
they differ. This package is pure: its callers pass the other parsers.

The modules in the order of the flow: `parsers` (what is compared, and by which questions),
`comparer` (decides, counts and explains) with `diagnosis` (causes and lines), `causes` and
`profiles` (tables), `impact` (the changes for each site), `report` and `formats`.
"""
