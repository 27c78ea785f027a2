"""Choices: weightings, discounts, grids of parameters, and the order of judging."""
