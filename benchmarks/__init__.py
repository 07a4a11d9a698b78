"""Benchmarks, each run as ``python -m benchmarks.NAME``; ``docs/benchmarks.md`` holds the figures."""
