"""The interactive page: what Python computes for it, and its HTML, style sheet and scripts."""
