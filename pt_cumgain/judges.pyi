from pt_cumgain.analysis.judges.agreement import judge_agreement as judge_agreement
from pt_cumgain.analysis.judges.conclusions import compare_judges as compare_judges
from pt_cumgain.analysis.judges.rectified import rectify as rectify

__all__: list[str]
