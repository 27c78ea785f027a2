"""Analyses of values and vectors: reading curves, comparing systems, grids of measures."""
