"""Analyses of values and vectors: curves and their readings, comparisons, grids."""
