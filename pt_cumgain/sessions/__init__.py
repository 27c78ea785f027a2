"""Sessions of several queries: of people, of conversations, of search agents.

``from pt_cumgain.sessions import to_sessions``. A frame of sessions has one
row per session, with the list of its queries. The measures ``sDCG`` and
``nsDCG`` are in ``pt_cumgain``, and so is ``per_session``, which turns any
pipeline into one over sessions. The main arguments are in parentheses.

    - ``to_sessions``: group queries into sessions (queries)
    - ``to_queries``: list the queries of sessions (sessions)
    - ``session_qrels``: turn qrels by topic into qrels by session (qrels,
      sessions)
    - ``split_turns``: split ids such as 31_4 into conversation and turn
      (frame)
    - ``session_lengths``: count the sessions with 1, 2, ... queries
      (systems)
    - ``session_curves``: compute the gain up to each position of a session
      (systems, sessions, qrels, measures)
    - ``query_gains``: compute the value of each query, by itself and
      discounted (systems, sessions, qrels, measures)
    - ``write_session_run``: save a run over sessions (run, target)
    - ``read_session_run``: read such a file (source)
    - ``read_session_track``: read the XML file of a TREC Session Track,
      with the results that the searchers saw (path)
"""

from pt_cumgain.environment.rooms import attach_names

# __init__.pyi lists the names and their modules
__getattr__, __dir__, __all__ = attach_names(__name__, __file__)
