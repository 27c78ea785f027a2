from .by_level import precision_by_level as precision_by_level
from .by_level import qrels_at_level as qrels_at_level
from .by_level import recall_bases as recall_bases
from .gaps import effort as effort
from .gaps import gap_to_ideal as gap_to_ideal
from .gaps import plateau_ranks as plateau_ranks
from .schemes import IPM2005 as IPM2005
from .schemes import SCENARIOS as SCENARIOS
from .schemes import SIGIR2000 as SIGIR2000
from .schemes import TOIS2002 as TOIS2002

__all__: list[str]
