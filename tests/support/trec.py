"""Runs and qrels in files as frames with ir-measures' names."""

import pandas as pd

from pt_cumgain.inputs import reading
from pt_cumgain.inputs.columns import TO_IR_MEASURES
from pt_cumgain.inputs.frames import to_frame


def read_run(source) -> pd.DataFrame:
    return to_frame(reading.read_run(source), "score").rename(columns=TO_IR_MEASURES)


def read_qrels(source) -> pd.DataFrame:
    return to_frame(reading.read_qrels(source), "label").rename(columns=TO_IR_MEASURES)
