from ._correlation import correlation_table as correlation_table
from ._correlation import rank_correlation as rank_correlation
from ._correlation import tau_ap as tau_ap
from ._friedman import friedman as friedman
from ._read_values import read_values as read_values

__all__: list[str]
