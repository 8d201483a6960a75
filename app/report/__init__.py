"""Reports: one self-contained HTML page or workbook of what pages show."""
