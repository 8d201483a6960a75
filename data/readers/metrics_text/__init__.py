"""Metrics of a serving engine as Prometheus collects them: series that only ever grow, and histograms."""
