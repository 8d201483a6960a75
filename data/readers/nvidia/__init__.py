"""What AIPerf and GenAI-Perf share: metrics with a unit and statistics, whatever file they stand in."""
