"""What the serving benchmarks of vLLM and its descendants print and take as options."""
