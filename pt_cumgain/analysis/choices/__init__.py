"""The choices behind measures: weightings, discounts, grids, the order of judging."""
