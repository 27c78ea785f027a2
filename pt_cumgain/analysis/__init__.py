"""What follows from values and vectors: curves and their reading, comparisons, grids."""
