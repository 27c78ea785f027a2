from ._by_level import precision_by_level as precision_by_level
from ._by_level import qrels_at_level as qrels_at_level
from ._effort import effort as effort
from ._reading_curves import gap_to_ideal as gap_to_ideal
from ._reading_curves import plateau_ranks as plateau_ranks
from ._recall_bases import recall_bases as recall_bases
from ._schemes import IPM2005 as IPM2005
from ._schemes import SCENARIOS as SCENARIOS
from ._schemes import SIGIR2000 as SIGIR2000
from ._schemes import TOIS2002 as TOIS2002

__all__: list[str]
