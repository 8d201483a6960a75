"""Hand-made tables: cells, number marks, headers, units, pivots and what must be asked; used by the table reader."""
