from ._gain_by_level import gain_by_level as gain_by_level
from ._reconcile import reconcile as reconcile
from ._topic_table import topic_table as topic_table

__all__: list[str]
