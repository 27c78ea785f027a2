from .levels import gain_by_level as gain_by_level
from .ties import tie_effects as tie_effects
from .topics import topic_table as topic_table
from .variants import reconcile as reconcile

__all__: list[str]
