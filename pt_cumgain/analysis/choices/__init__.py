"""The choices behind measures: weightings, discounts, grids, what to judge next."""
