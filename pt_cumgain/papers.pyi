from pt_cumgain.analysis.choices.grids import IPM2005 as IPM2005
from pt_cumgain.analysis.choices.grids import SCENARIOS as SCENARIOS
from pt_cumgain.analysis.choices.grids import SIGIR2000 as SIGIR2000
from pt_cumgain.analysis.choices.grids import TOIS2002 as TOIS2002
from pt_cumgain.analysis.reading.by_level import precision_by_level as precision_by_level
from pt_cumgain.analysis.reading.by_level import qrels_at_level as qrels_at_level
from pt_cumgain.analysis.reading.by_level import recall_bases as recall_bases
from pt_cumgain.analysis.reading.gaps import effort as effort
from pt_cumgain.analysis.reading.gaps import gap_to_ideal as gap_to_ideal
from pt_cumgain.analysis.reading.gaps import plateau_ranks as plateau_ranks

__all__: list[str]
