from pt_cumgain.analysis.reading.session_curves import query_gains as query_gains
from pt_cumgain.analysis.reading.session_curves import session_curves as session_curves
from pt_cumgain.analysis.reading.session_curves import session_lengths as session_lengths
from pt_cumgain.inputs.session_frames import read_session_run as read_session_run
from pt_cumgain.inputs.session_frames import session_qrels as session_qrels
from pt_cumgain.inputs.session_frames import split_turns as split_turns
from pt_cumgain.inputs.session_frames import to_queries as to_queries
from pt_cumgain.inputs.session_frames import to_sessions as to_sessions
from pt_cumgain.inputs.session_frames import write_session_run as write_session_run
from pt_cumgain.inputs.session_track import read_session_track as read_session_track

__all__: list[str]
