from pt_cumgain.analysis.reading.by_level import gain_by_level as gain_by_level
from pt_cumgain.analysis.reading.topic_table import topic_table as topic_table
from pt_cumgain.analysis.reconcile import reconcile as reconcile
from pt_cumgain.analysis.trust.tie_effects import tie_effects as tie_effects

__all__: list[str]
