"""TREC run and qrels files, with errors that name the line."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from pt_cumgain.engine.arrow import number_array, one_chunk, text_array, to_numpy
from pt_cumgain.engine.rows import SESSION_COLUMNS, Table, encode, tell_row
from pt_cumgain.environment import extras
from pt_cumgain.environment.terminal import show
from pt_cumgain.environment.warning import name_dataset, warn
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.columns import refuse_choice
from pt_cumgain.inputs.frames import to_frame
from pt_cumgain.inputs.grouping import check_scores

if TYPE_CHECKING:
    import pyarrow as pa

#: The suffixes of run files that are not part of a run's name.
SUFFIXES = (".res", ".txt", ".run", ".trec")


#: The fields of a line, by the one that is a number: of runs and qrels.
_FIELDS = {
    "score": ["query_id", "iteration", "doc_id", "rank", "score", "tag"],
    "relevance": ["query_id", "iteration", "doc_id", "relevance"],
}
#: Those of which many are equal; a run's tag is only compared.
_CODES = {"score": ["query_id", "iteration", "tag"], "relevance": ["query_id", "iteration"]}
#: Those that are numbers; a run's rank may be something else.
_NUMBERS = {"score": ["score", "rank"], "relevance": ["relevance"]}
#: The fields in words.
_LINES = {
    "score": "topic, Q0, document, rank, score and tag",
    "relevance": "topic, iteration, document and relevance",
}
#: What lines of another number of fields may be.
_HINTS = {
    ("relevance", 6): ": is this a run?",
    ("score", 4): ": is this qrels?",
    ("score", 3): "; in runs of Pyserini and MS MARCO with three fields the third is a rank",
}
#: The second field of a run over sessions, ``Q2``, ``Q2/3`` or ``Q2/3:7``: query 2, of 3, of whose
#: list 7 documents were looked at.
_QUERY = re.compile(r"Q([1-9][0-9]{0,8})(?:/([1-9][0-9]{0,8}))?(?::(0|[1-9][0-9]{0,8}))?")
_WRITABLE = re.compile("[^\\s\0\ud800-\udfff]+")
_FIELD = re.compile(r"[^ \t]+")
_WHOLE = re.compile(r"[-+]?[0-9]+(\.0*)?")


def write_lines(run: Table, target: IO[bytes]) -> None:
    """Write a run over sessions so that :func:`read_batches`, which describes the format, reads it.

    Raises
    ------
    ValueError, TypeError
        If an id is something that :func:`read_batches` would not return as it is.
    """
    if not run.bounds[-1]:
        return
    documents = dict.fromkeys(run.docs.take(slice(None)))
    for name, ids in (("session", run.topics), ("document", documents)):
        for value in ids:
            is_mark = name == "session" and (value == "#" or value.startswith("\ufeff"))
            if is_mark or not _WRITABLE.fullmatch(value):
                raise ValueError(
                    f"the {name} {show(value)} cannot appear in a TREC run: an id must not be "
                    "empty, contain white space, NUL or half of a surrogate pair, or begin a line "
                    "as # or with U+FEFF, a byte-order mark"
                )
    frame = to_frame(run, "score")
    query = frame["docno"].str[:0]
    for name, sign in zip(SESSION_COLUMNS, "Q/:"):
        if name in frame:
            query += sign + frame[name].astype(str)
    lists = frame.groupby(["qid", "query_position"], sort=False)["score"]
    ranks = lists.rank("first", ascending=False).astype(int) - 1
    scores = frame["score"].tolist()
    for qid, second, doc, rank, score in zip(frame["qid"], query, frame["docno"], ranks, scores):
        target.write(f"{qid} {second} {doc} {rank} {score!r} pt_cumgain\n".encode())


def read_batches(
    source: Any, rows: int | None, value: str = "score", chosen: str = "", *, ranks: bool = False
) -> Iterator[pa.Table]:
    """Read a TREC run, or qrels, in tables of pyarrow of at most ``rows`` rows (None: in one).

    The last table may be empty. Topics are codes of texts. With ``ranks``, tables of a run have the
    column ``rank``. A warning says if the first ranks contradict the scores, or are no ranks.

    As in trec_eval (from 10 on), text after a run's tag is ignored, if there is a rank and a score
    before it. A line that begins with ``#`` is a comment, unless it has the fields of a row and the
    topic is longer than this sign. Fields are separated by blanks or tabs; other white space is
    part of a field. If the second field is ``Q1``, ``Q2``, ... or
    ``Q1/3``, ``Q2/3``, ... in every line, a run is one over sessions: the first field is the
    session, the second says which query of it returned the document, and of how many; ``Q2:7`` and
    ``Q2/3:7`` also say how many documents of the query's list the searcher looked at. Qrels of this
    kind are by turn. Labels need not be whole numbers.

    Raises
    ------
    ValueError
        If a line does not have the fields of its kind, its score or label is not a number, its
        second field is of a different kind from that of the first line, or another row follows the
        tag; the message names the line. Also if a compressed file is damaged.
    OSError
        If the file cannot be read.
    """
    join = extras.pyarrow().concat_tables
    held: list[pa.Table] = []
    for piece in _read_pieces(source, value, chosen, ranks=ranks):
        held.append(piece)
        if rows is not None and sum(len(table) for table in held) >= rows:
            table = join(held)
            whole = len(table) - len(table) % rows
            for start in range(0, whole, rows):
                yield table.slice(start, rows)
            held = [table.slice(whole)]
    yield join(held)


def _read_pieces(source: Any, value: str, chosen: str, *, ranks: bool) -> Iterator[pa.Table]:
    """Yield the file in tables of pyarrow; the only one of a file without rows is empty."""
    path = Path(str(getattr(source, "name", "run")) if hasattr(source, "read") else source)
    refuse_choice(chosen)
    read = partial(_read_regular, value=value)
    second, line = "", 1
    with lines.open_text(source, path) as file:
        blocks = lines.read_blocks(file, path)
        first = next(blocks, b"").removeprefix(BOM_UTF8)
        rest = lines.ahead(partial(read, ranks=ranks), blocks)
        for block, regular in chain([(first, read(first, ranks=True))], rest):
            table = regular
            if table is None:
                table = read(_normalise(block, value), ranks=ranks or line == 1)
            if table is None or not _agree(_second_fields(table), second):
                table = _read_lines(block, value, path, line, second)
            named = _name_columns(table)
            if value == "score" and line == 1:
                check_scores(named, path, lines=regular is not None)
                _warn_of_other_ranks(named, block, path)
            if value == "score":
                spare = ["iteration", "tag", *(() if ranks else ["rank"])]
                named = named.drop_columns([n for n in spare if n in named.column_names])
            line += len(block.splitlines()) if regular is None else len(table)
            if len(table):
                second = second or _second_fields(table)[0]
                yield named
        if not second:
            yield named


def _read_regular(block: bytes, value: str, *, ranks: bool) -> pa.Table | None:
    """Return the fields of a block of regular lines; None if it has others, or numbers are NaN.

    With ``ranks``, those of a run are numbers, too.
    """
    table = lines.read_regular(
        block,
        _FIELDS[value],
        codes=_CODES[value] if ranks else _CODES["relevance"],
        texts=["doc_id"],
        numbers=_NUMBERS[value] if ranks else [value],
    )
    nan = table is not None and np.isnan(to_numpy(table.column(value))).any()
    return None if nan else table


def _normalise(block: bytes, value: str) -> bytes:
    """Return lines without comments, and with one blank between fields."""
    rows = [" ".join(row) for _, row in _split_lines(block, 1, value)]
    return "\n".join(rows).encode(errors="surrogateescape")


def _read_lines(block: bytes, value: str, path: Path, line: int, second: str) -> pa.Table:
    """Return the fields of any block, which begins with this line, as :func:`_read_regular` does.

    Ranks that are no numbers are NaN. ``second`` is the second field of the file's first line, if
    another block has it.

    Raises
    ------
    ValueError
        If a line is malformed; the message names it.
    """
    columns: dict[str, list[str]] = {name: [] for name in _FIELDS[value]}
    for number, row in _split_lines(block, line, value):
        try:
            _refuse_malformed(row, value, second)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        second = second or row[1]
        for name, field in zip(columns, row):
            columns[name].append(field)
    arrays = {name: _encode_texts(columns[name]) for name in _CODES[value]}
    arrays["doc_id"] = text_array(columns["doc_id"])
    for name in _NUMBERS[value]:
        numbers = [lines.read_number(text) for text in columns[name]]
        arrays[name] = number_array(np.array(numbers, dtype=np.float64))
    return extras.pyarrow().table(arrays)


def _split_lines(block: bytes, line: int, value: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of each line that has any and is no comment."""
    for number, text in enumerate(block.splitlines(), line):
        row = _FIELD.findall(text.decode(errors="surrogateescape"))
        if row and not (row[0].startswith("#") and _is_comment(row, value)):
            yield number, row


def _is_comment(row: list[str], value: str) -> bool:
    """Return whether a line that begins with # is a comment, and not a row whose topic does."""
    fields = len(_FIELDS[value])
    has_tag = value == "score" and len(row) > fields and _has_rank_and_score(row)
    return row[0] == "#" or not (len(row) == fields or has_tag)


def _encode_texts(texts: list[str]) -> pa.Array:
    """Return a field of texts, of which many are equal, as codes of texts."""
    codes, distinct = encode(texts)
    distinct = [text.encode(errors="backslashreplace").decode() for text in distinct]
    indices = number_array(codes.astype(np.int32))
    return extras.pyarrow().DictionaryArray.from_arrays(indices, text_array(distinct))


def _refuse_malformed(row: list[str], value: str, second: str) -> None:
    """Refuse the fields of a line that are not those of a run, or of qrels."""
    fields = _FIELDS[value]
    if value == "score" and len(row) > len(fields):
        _refuse_shifted(row)
    elif len(row) != len(fields):
        if not second and max(map(" ".join(row).count, ",;|")) > 1:
            raise ValueError("this is a table without a head; name the columns in the first line")
        raise _miscount(row, value, _HINTS.get((value, len(row)), ""))
    " ".join(row[:3]).encode(errors="surrogateescape").decode()  # an error if it is not UTF-8
    if row[0].startswith("\ufeff"):
        mark = "begins with a byte-order mark; was another file appended?"
        raise ValueError(f"the topic {show(row[0])} {mark}")
    text = row[fields.index(value)]
    if np.isnan(lines.read_number(text)):
        raise ValueError(f"the {value} {show(text)} is not a number")
    if not _agree([row[1]], second):
        what = "a run over sessions" if value == "score" else "qrels by turn"
        raise ValueError(
            f"the second field is {show(row[1])}, but {show(second)} in the first line; in {what}, "
            "it must be the query in every line, for example Q1 or Q1/3"
        )


def _refuse_shifted(row: list[str]) -> None:
    """Refuse a line of more fields than a run has, unless those after the fifth are a tag."""
    if not _has_rank_and_score(row):
        read = tell_row("it", row[0], row[2], row[3], f"score {row[4]}")
        raise _miscount(row, "score", f": {read}")
    for other in (row[5:11], row[6:12]):  # where another row may begin: in the tag, or after it
        if len(other) == 6 and _has_rank_and_score(other) and _agree([other[1]], row[1]):
            raise _miscount(row, "score", "; the end of a line is missing")


def _miscount(row: list[str], value: str, hint: str) -> ValueError:
    """Return the error for a line of so many fields."""
    expected = f"{len(_FIELDS[value])} ({_LINES[value]})"
    return ValueError(f"{len(row)} fields, expected {expected}{hint}")


def _has_rank_and_score(row: list[str]) -> bool:
    """Return whether a whole number and a number are where a run has its rank and score."""
    return bool(_WHOLE.fullmatch(row[3])) and not np.isnan(lines.read_number(row[4]))


def _warn_of_other_ranks(run: pa.Table, block: bytes, path: Path) -> None:
    """Warn if a line of a run, in the first block, has no whole number as its rank."""
    ranks = to_numpy(run.column("rank"))
    other = np.flatnonzero(ranks != np.rint(ranks)).tolist()
    if other:
        number, row = next(islice(_split_lines(block, 1, "score"), other[0], None))
        read = tell_row(f"line {number}", row[0], row[2], row[3], f"score {row[4]}")
        with name_dataset(str(path), "file"):
            warn(f"a rank is not a whole number: {read}; is this a run of TREC's format?")


def _agree(fields: list[str], second: str) -> bool:
    """Return whether second fields, the first line's too, hold the same :data:`SESSION_COLUMNS`."""
    matches = [_QUERY.fullmatch(field) for field in (*fields, second or fields[0])]
    return len({match and tuple(map(bool, match.groups())) for match in matches}) == 1


def _second_fields(table: pa.Table) -> list[str]:
    """Return the distinct second fields, in the order of their appearance."""
    return list(one_chunk(table.column("iteration")).dictionary.to_pylist())


def _name_columns(table: pa.Table) -> pa.Table:
    """Return a block with the columns that its second fields hold."""
    matches = [_QUERY.fullmatch(field) for field in _second_fields(table)]
    codes = np.from_dlpack(one_chunk(table.column("iteration")).indices)
    for i, name in enumerate(SESSION_COLUMNS, 1):
        held = [int(match[i]) for match in matches if match and match[i]]
        if held:
            table = table.append_column(name, number_array(np.array(held)[codes]))
    return table
