"""TREC run and qrels files, with errors that name the line."""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pt_cumgain.engine.rows import SESSION_COLUMNS, TURN_COLUMN, Table, encode, tell_row
from pt_cumgain.environment import extras
from pt_cumgain.environment.arrow import number_array, one_chunk, text_array, to_numpy
from pt_cumgain.environment.extras import pd
from pt_cumgain.environment.warning import name_dataset, warn
from pt_cumgain.inputs import lines
from pt_cumgain.inputs.frames import to_frame
from pt_cumgain.inputs.grouping import check_scores

if TYPE_CHECKING:
    import pyarrow as pa

#: The suffixes of run files that are not part of a run's name.
SUFFIXES = (".res", ".txt", ".run", ".trec")


class _Format(NamedTuple):
    """A kind of TREC file: its fields, those that are read, and the one that is a number.

    ``most`` is how many fields a line may have: trec_eval ignores text after a run's tag.
    ``session_fields`` names the columns that may be read from the second field.
    """

    fields: int
    columns: dict[int, str]
    number: int
    line: str
    name: str
    most: int
    session_fields: tuple[str, ...]


_RUN = _Format(
    6,
    {0: "query_id", 2: "doc_id", 4: "score"},
    4,
    "topic, Q0, document, rank, score and tag",
    "a run",
    100,
    tuple(SESSION_COLUMNS),
)
_QRELS = _Format(
    4,
    {0: "query_id", 2: "doc_id", 3: "relevance", 1: "iteration"},
    3,
    "topic, iteration, document and relevance",
    "qrels",
    4,
    tuple(TURN_COLUMN),
)
#: A run whose ranks are read.
_RANKS = _RUN._replace(columns={0: "query_id", 2: "doc_id", 3: "rank"}, number=3)
#: The second field of a run over sessions, ``Q2``, ``Q2/3`` or ``Q2/3:7``: query 2, of 3, of whose
#: list 7 documents were looked at.
_QUERY = re.compile(r"Q([1-9][0-9]{0,8})(?:/([1-9][0-9]{0,8}))?(?::(0|[1-9][0-9]{0,8}))?")
_WRITABLE = re.compile("[^\\s\0\ud800-\udfff]+")
_FIELD = re.compile(r"[^ \t\r\n]+")
_WHOLE = re.compile(r"[-+]?[0-9]+(\.0*)?")
_COMMENT = re.compile(rb"(?:\A|(?<=[\r\n]))[ \t]*#[^\r\n]*")


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
            if not _WRITABLE.fullmatch(value) or (name == "session" and value[0] in "#\ufeff"):
                raise ValueError(
                    f"the {name} {value!r} cannot appear in a TREC run: an id is not empty, has "
                    "no white space, NUL or half of a surrogate pair, and does not begin a line "
                    "with # or U+FEFF, a byte-order mark"
                )
    frame = to_frame(run, "score")
    query = pd.Series("", index=frame.index)
    for name, sign in zip(SESSION_COLUMNS, "Q/:"):
        if name in frame:
            query += sign + frame[name].astype(str)
    lists = frame.groupby(["qid", "query_position"], sort=False)["score"]
    columns = {
        "session": frame["qid"],
        "query": query,
        "document": frame["docno"],
        "rank": (lists.rank("first", ascending=False) - 1).astype(np.int64),
        "score": [repr(score) for score in frame["score"].tolist()],
        "tag": "pt_cumgain",
    }
    text = pd.DataFrame(columns).to_csv(sep=" ", header=False, index=False, quoting=csv.QUOTE_NONE)
    target.write(text.encode())


def read_batches(
    source: Any, rows: int | None, value: str = "score", *, ranks: bool = False
) -> Iterator[Any]:
    """Read a TREC run, or qrels, in tables of pyarrow of at most ``rows`` rows (None: in one).

    The last table may be empty. Topics are codes of texts. With ``ranks``, tables of a run have the
    column ``rank``. A warning says if the first ranks contradict the scores, or are no ranks.

    As in trec_eval (from 10 on), lines that begin with ``#`` are comments, and text after a run's
    tag is ignored, if there is a rank and a score before it. Fields are separated by blanks or
    tabs; other white space is part of a field. If the second field is ``Q1``, ``Q2``, ... or
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
    if value == "relevance":
        yield _join(list(_read_pieces(source, _QRELS)), _QRELS)
        return
    held: list[Any] = []
    for piece in _read_pieces(source, _RUN, ranks=ranks):
        held.append(piece)
        if rows is not None and sum(map(len, held)) >= rows:
            table = _join(held, _RUN)
            whole = len(table) - len(table) % rows
            for start in range(0, whole, rows):
                yield table.slice(start, rows)
            held = [table.slice(whole)]
    yield _join(held, _RUN)


def _join(pieces: Sequence[Any], kind: _Format) -> pa.Table:
    """Return the pieces of a file, which may have none, as one table."""
    empty = _parse_lines(b"", kind).select([str(field) for field in kind.columns])
    pieces = pieces or [empty.rename_columns(list(kind.columns.values()))]
    return extras.pyarrow().concat_tables(pieces)


def _read_pieces(source: Any, kind: _Format, *, ranks: bool = False) -> Iterator[Any]:
    """Yield the file in tables of pyarrow."""
    path = Path(str(getattr(source, "name", "run")) if hasattr(source, "read") else source)
    second, line = "", 1
    with lines.open_text(source, path) as file:
        blocks = lines.read_blocks(file, path)
        blocks = chain([next(blocks, b"").removeprefix(BOM_UTF8)], blocks)
        for block, regular in lines.ahead(partial(_read_regular, kind=kind), blocks):
            try:
                table = _parse_lines(block, kind) if regular is None else regular
                table, second = _name_columns(table, kind, second)
                if kind is _RUN and (ranks or line == 1):
                    ranked = table.append_column("rank", _read_ranks(block, len(table)))
                    if line == 1:
                        check_scores(ranked, path, lines=regular is not None)
                        _warn_of_other_fields(ranked, block, path)
                    table = ranked if ranks else table
            except ValueError:
                raise _find_malformed(path, block, line, kind, second) from None
            line += len(block.splitlines()) if regular is None else len(table)
            if len(table):
                yield table


def _read_regular(block: bytes, kind: _Format) -> pa.Table | None:
    """Return the fields of a block of regular lines; None if it has others, or numbers are NaN."""
    table = lines.read_regular(block, kind.fields, codes=(0, 1), texts=(2,), numbers=(kind.number,))
    nan = table is not None and np.isnan(to_numpy(table.column(str(kind.number)))).any()
    return None if nan else table


def _parse_lines(text: bytes, kind: _Format) -> pa.Table:
    """Return the fields of any block, in the form of :func:`_read_regular`.

    Raises
    ------
    ValueError
        If a line is malformed; the message says how, if the block is a single line.
    """
    if b"#" in text:
        text = _COMMENT.sub(b"", text)
    counts = lines.count_fields(text)
    fields = np.array(_FIELD.findall(text.decode(errors="surrogateescape")), dtype=object)
    first = np.cumsum(counts) - counts
    if kind is _RUN:
        longer = counts > kind.fields
        for at, n in zip(first[longer].tolist(), counts[longer].tolist()):
            _refuse_shifted(fields[at : at + n].tolist())
    if wrong := counts[(counts < kind.fields) | (counts > kind.most)].tolist():
        hint = "".join(f": is this {k.name}?" for k in (_RUN, _QRELS) if k.fields == wrong[0])
        if kind is _RUN and wrong[0] == 3:
            hint = "; in the files of Pyserini and MS MARCO with three fields the third is a rank"
        raise _miscount(wrong[0], kind, hint)
    marked = [topic for topic in fields[first] if topic[0] == "\ufeff"]
    if marked:
        raise ValueError(
            f"the topic {marked[0]!r} begins with a byte-order mark, which only the start of a "
            "file may have; was another file appended?"
        )
    numbers, values = fields[first + kind.number], np.array(np.nan)
    with suppress(ValueError):
        values = numbers.astype(np.float64)  # by Python's float, which is exact
    if np.isnan(values).any() or not lines.SIGNS.fullmatch("".join(numbers)):
        raise ValueError(f"the {kind.columns[kind.number]} {numbers[0]!r} is not a number")
    columns = {str(field): _encode_texts(fields[first + field]) for field in (0, 1)}
    columns["2"] = text_array(fields[first + 2])  # raises an error if a text is not UTF-8
    columns[str(kind.number)] = number_array(values)
    return extras.pyarrow().Table.from_arrays(list(columns.values()), names=list(columns))


def _encode_texts(texts: Any) -> pa.Array:
    """Return a field of texts, of which many are equal, as codes of texts."""
    codes, distinct = encode(texts)
    indices = number_array(codes.astype(np.int32))
    return extras.pyarrow().DictionaryArray.from_arrays(indices, text_array(distinct))


def _read_ranks(block: bytes, count: int) -> pa.Array:
    """Return the ranks in a block of so many lines of a run, NaN if they are not numbers."""
    ranked = lines.read_regular(block, _RUN.fields, codes=(), texts=(), numbers=(3,))
    with suppress(ValueError):
        return (_parse_lines(block, _RANKS) if ranked is None else ranked).column("3")
    return number_array(np.full(count, np.nan))


def _miscount(fields: int, kind: _Format, hint: str) -> ValueError:
    """Return the error for a line of so many fields."""
    return ValueError(f"{fields} fields, expected {kind.fields} ({kind.line}){hint}")


def _refuse_shifted(row: Sequence[str]) -> None:
    """Refuse a line of more fields than a run has, unless those after the fifth are a tag."""
    if not _has_rank_and_score(row):
        read = tell_row("it", row[0], row[2], row[3], f"score {row[4]}")
        raise _miscount(len(row), _RUN, f": {read}")
    form = _read_form(row[1])
    for at in (5, 6):  # where another row may begin: in the tag, or after it
        other = row[at : at + _RUN.fields]
        if len(other) < _RUN.fields or not _has_rank_and_score(other):
            continue
        if other[1] == row[1] or (form[0] and _read_form(other[1]) == form):
            raise _miscount(len(row), _RUN, "; the end of a line is missing")


def _has_rank_and_score(row: Sequence[str]) -> bool:
    """Return whether a whole number and a number are where a run has its rank and score."""
    with suppress(ValueError):
        float(row[4])
        return bool(_WHOLE.fullmatch(row[3]))
    return False


def _warn_of_other_fields(run: pa.Table, block: bytes, path: Path) -> None:
    """Warn if a line of a run, in the first block, has no whole number as its rank."""
    ranks = to_numpy(run.column("rank"))
    if (ranks == np.rint(ranks)).all():
        return
    for number, line in enumerate(block.splitlines(), 1):
        row = _FIELD.findall(line.decode(errors="replace"))
        if len(row) >= _RUN.fields and row[0][0] != "#" and not _WHOLE.fullmatch(row[3]):
            read = tell_row(f"line {number}", row[0], row[2], row[3], f"score {row[4]}")
            with name_dataset(str(path), "file"):
                warn(f"a rank is not a whole number: {read}; is this a run of TREC's format?")
            return


def _read_form(field: str) -> tuple[bool, ...]:
    """Return which of :data:`SESSION_COLUMNS` a second field holds."""
    match = _QUERY.fullmatch(field)
    return tuple(match is not None and match[i] is not None for i in (1, 2, 3))


def _name_columns(table: pa.Table, kind: _Format, second: str) -> tuple[Any, str]:
    """Return a block with the columns of its kind, and with those that its second fields hold.

    Also returns the second field of the file's first line, which ``second`` is if it is known.

    Raises
    ------
    ValueError
        If a second field is of another form than that one.
    """
    fields = one_chunk(table.column("1"))
    codes, distinct = np.from_dlpack(fields.indices), fields.dictionary.to_pylist()
    table = table.select([str(field) for field in kind.columns])
    table = table.rename_columns(list(kind.columns.values()))
    if not len(codes):
        return table, second
    second = second or distinct[codes[0]]
    form = _read_form(second)
    if other := [field for field in distinct if _read_form(field) != form]:
        what = "a run over sessions has" if kind is _RUN else "qrels by turn have"
        raise ValueError(
            f"the second field is {other[0]!r}, but {second!r} in the first line; {what} the query "
            "in every line (Q1, or Q1/3)"
        )
    matches = [_QUERY.fullmatch(field) for field in distinct]
    for i, name in enumerate(kind.session_fields, 1):
        if form[i - 1]:
            held = np.array([int(match[i]) for match in matches if match], dtype=np.int64)
            table = table.append_column(name, number_array(held[codes]))
    return table, second


def _find_malformed(path: Path, block: bytes, line: int, kind: _Format, second: str) -> ValueError:
    """Return the error that names the first malformed line of a block that begins with ``line``.

    ``second`` is the second field of the file's first line, if another block has it.
    """
    try:
        block.decode()
    except UnicodeDecodeError as error:
        return ValueError(f"{path} cannot be read: {error}")
    rows, reason = block.splitlines(), ""
    while rows:  # the first half of them is well-formed, or has the line
        half = (len(rows) + 1) // 2
        part = b"\n".join((b"", *rows[:half]))
        try:
            _, second = _name_columns(_parse_lines(part, kind), kind, second)
            rows, line = rows[half:], line + half
        except ValueError as error:
            rows, reason = rows[:half] if len(rows) > 1 else [], str(error)
    return ValueError(f"{path}, line {line}: {reason}")
