"""The way of a file from bytes to canonical runs, the same for every format: decode, draft, check, ask, finish."""
