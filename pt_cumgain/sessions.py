"""Sessions and conversations of several queries: frames, files and curves.

``from pt_cumgain.sessions import to_sessions``. A frame of sessions has a
row for each session, with the list of its queries. The measures ``sDCG``
and ``nsDCG``, and ``per_session``, which turns any pipeline into one over
sessions, are in ``pt_cumgain``.

Each with the question that it answers, what it takes -> what it returns:

    - ``to_sessions``: which queries belong together? queries -> sessions
    - ``to_queries``: which queries do they have? sessions -> queries
    - ``session_qrels``: what is relevant in each session? qrels, sessions
      -> qrels by session
    - ``split_turns``: which turn of which conversation is 31_4? a frame ->
      the same with conversations and turns
    - ``session_lengths``: how many sessions have 1, 2, ... queries?
      systems -> counts
    - ``session_curves``: what is gained by position? systems, sessions,
      qrels, measures -> curves
    - ``query_gains``: what does each query gain? systems, sessions, qrels,
      measures -> values
    - ``write_session_run``: how is a run saved? run, target -> a file
    - ``read_session_run``: what is in such a file? source -> the run
    - ``read_session_track``: what is in the XML of the TREC Session Track?
      its path -> sessions, results shown
"""

from pt_cumgain.environment.stubs import list_names

# sessions.pyi lists the names and their modules
__getattr__, __dir__, __all__ = list_names(__name__, __file__)
