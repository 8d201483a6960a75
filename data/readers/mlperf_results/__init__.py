"""Parts of the MLPerf reader: the console summary of one run, and tables of published results."""
