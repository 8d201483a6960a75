"""Tables of tens of thousands of rows: read by columns, with provenance by column; used by the registry."""
