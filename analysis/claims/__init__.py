"""Published claims recomputed: every check takes a claim and the catalogue and gives a verdict with its arithmetic."""
