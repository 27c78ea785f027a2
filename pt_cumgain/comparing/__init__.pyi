from .all_systems import friedman as friedman
from .correlation import correlation_table as correlation_table
from .correlation import rank_correlation as rank_correlation
from .correlation import tau_ap as tau_ap
from .value_files import read_values as read_values

__all__: list[str]
