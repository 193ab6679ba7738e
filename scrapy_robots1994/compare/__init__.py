"""Compare our parser with others, decision by decision, and find the lines that make
them differ. Pure: the other parsers are passed in.

In the order of the flow: `parsers` (what is compared, by which questions), `comparer` (decides,
counts, explains) with `diagnosis` (which causes, which lines), `causes` and `profiles` (tables);
`impact` (what changes for each site); `report` and `formats`.
"""
