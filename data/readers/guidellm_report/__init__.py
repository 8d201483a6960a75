"""GuideLLM's benchmarks: what its reports in JSON, YAML and CSV share."""
