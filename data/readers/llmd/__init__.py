"""Parts of the llm-d benchmark report: the stack that served, the results with their units, its times."""
