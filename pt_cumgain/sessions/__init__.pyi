from .curves import query_gains as query_gains
from .curves import session_curves as session_curves
from .curves import session_lengths as session_lengths
from .frames import read_session_run as read_session_run
from .frames import session_qrels as session_qrels
from .frames import split_turns as split_turns
from .frames import to_queries as to_queries
from .frames import to_sessions as to_sessions
from .frames import write_session_run as write_session_run
from .track import read_session_track as read_session_track

__all__: list[str]
