from ._frames import read_session_run as read_session_run
from ._frames import session_qrels as session_qrels
from ._frames import split_turns as split_turns
from ._frames import to_queries as to_queries
from ._frames import to_sessions as to_sessions
from ._frames import write_session_run as write_session_run
from ._query_gains import query_gains as query_gains
from ._session_curves import session_curves as session_curves
from ._session_lengths import session_lengths as session_lengths
from ._session_track import read_session_track as read_session_track

__all__: list[str]
