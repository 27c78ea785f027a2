from pt_cumgain.analysis.comparing.all_systems import friedman as friedman
from pt_cumgain.analysis.comparing.correlation import rank_correlation as rank_correlation
from pt_cumgain.analysis.comparing.correlation import tau_ap as tau_ap
from pt_cumgain.inputs.value_files import read_values as read_values
from pt_cumgain.presentation.tables import correlation_table as correlation_table

__all__: list[str]
