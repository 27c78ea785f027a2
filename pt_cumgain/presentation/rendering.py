"""A table as text, Markdown, LaTeX or HTML.

What stands in the cells is decided elsewhere (:mod:`pt_cumgain.presentation.tables`). LaTeX and
browsers measure their letters themselves; characters are counted here to break long heads.
"""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

_LATEX_SIGNS = {
    **{sign: rf"\{sign}" for sign in "&%$#_{}"}, **{sign: f"${sign}$" for sign in "<>"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "|": r"\textbar{}", "[": "{[}", "]": "{]}", '"': "''", "–": "--", "−": "$-$",
    "†": r"\dag{}", "‡": r"\ddag{}", "•": r"\textbullet{}",
}  # fmt: skip

#: The best of several; where there is bold type, that is in place of it.
BEST = "•"
BOLD = "Bold"
#: In text: characters between two columns, the shortest lines of broken heads, and the share of the
#: width that labels may have before they are broken.
_GAP, _HEAD, _LABELS = 2, 8, 0.4
#: In LaTeX: characters of a head, a label and a word of the notes before they are broken.
_LATEX_HEAD, _LATEX_LABEL, _LATEX_WORD = 12, 32, 24
#: How many columns have intervals beside their numbers, narrow and wide; in more they stand below.
_BESIDE = (2, 4)
#: What LaTeX says of a table that it has to scale down to less than 6 points.
_TINY = "table too wide: make it wider, transpose it, or choose fewer systems or measures"
#: Where a text may be broken: after blanks; if a part is longer than a line, at the next signs.
_BREAKS = (r"(?<=\s)", r"(?<=[,/(])|(?=@)", r"(?<=[=_])", r"(?<=-)", r"(?<=.)")


def _markdown(text: object) -> str:
    return re.sub(r"([*_|`~&\\<\[])", r"\\\1", " ".join(str(text).split()))


def _latex(text: object) -> str:
    signs = [_LATEX_SIGNS.get(sign, sign) for sign in " ".join(str(text).split())]
    # two hyphens or quotes would become one sign, and a star is an option of what is before it
    joined = ["{}" * (a == b and a in "-'`,") + b for a, b in zip(["", *signs], signs)]
    return "".join(joined).replace("*", "{*}")


@dataclass(frozen=True)
class Format:
    """How the best, marks and intervals are written, and room for a digit before and after."""

    best: str
    marks: str = "{}"
    interval: str = "{}"
    escape: Callable[[str], str] = str
    before: str = ""
    after: str = ""


_TEXT = Format(f"{{}}{BEST}", before=" ")
_MARKDOWN = Format("**{}**", "<sup>{}</sup>", escape=_markdown, before="\u2007")
_HTML = Format(
    "<b>{}</b>", '<sup style="display: inline-block; width: 0">{}</sup>', "<small>{}</small>",
    html.escape, after="\u2007",
)  # fmt: skip
_LATEX = Format(
    r"\textbf{{{}}}", r"\textsuperscript{{{}}}", r"\small {}",
    lambda text: _latex(text.replace("-", "−")), after=r"\phantom{0}",
)  # fmt: skip


@dataclass(frozen=True)
class Head:
    """What a row or a column is called; the key, if it has one, is what marks refer to."""

    text: str
    key: str = ""

    def __str__(self) -> str:
        return " ".join(f"{self.key} {self.text}".split())


@dataclass(frozen=True)
class Cell:
    """A number, whether it is the best of several, raised marks, and what follows in small type."""

    text: str
    best: bool = False
    marks: str = ""
    interval: str = ""

    def plain(self) -> str:
        """Return the whole as text."""
        best = BEST if self.best else ""
        return " ".join(filter(None, [f"{self.text}{best}", self.marks, self.interval]))


@dataclass(frozen=True)
class Table:
    """A table to print: text, Markdown, LaTeX, HTML.

    Attributes
    ----------
    columns, rows
        Their heads.
    cells
        A list for each row.
    notes
        Sentences that stand below.
    """

    columns: Sequence[Head]
    rows: Sequence[Head]
    cells: Sequence[Sequence[Cell]]
    notes: Sequence[str]

    @property
    def note(self) -> str:
        """What stands below the table."""
        return "\n".join(self.notes)

    def to_text(self, width: int | None = None) -> str:
        """Return the table as plain text; the best of several have a bullet.

        Parameters
        ----------
        width
            In characters. Long heads and labels are broken into lines, and columns that do not fit
            come in blocks, one below the other.
        """
        if width is not None and not 1 <= width < math.inf:
            raise ValueError(f"width={width!r} must be characters, such as 100")
        most = width or math.inf
        labels, columns = _fit(self, most)
        blocks: list[list[int]] = []
        room = 0.0
        for i, column in enumerate(columns):
            if column + _GAP > room:
                blocks.append([])
                room = most - labels
            blocks[-1].append(i)
            room -= column + _GAP
        texts = [_text_block(self, block, labels, columns) for block in blocks]
        notes = [line for note in self.notes for line in break_lines(note, most)]
        return "\n".join(["\n\n".join(texts), *notes]) + "\n"

    def to_markdown(self) -> str:
        """Return the table in Markdown, the best of several in bold, marks raised by HTML.

        Numbers stand at the left of their cells, where marks do not move them. Intervals have
        columns of their own.
        """
        columns = [["", ":--", *map(_markdown, self.rows)]]
        for head, cells in zip(self.columns, zip(*self.cells)):
            numbers, marks, intervals = _parts(cells, _MARKDOWN)
            columns.append([_markdown(head), ":--", *map("".join, zip(numbers, marks))])
            if any(intervals):
                columns.append([_markdown("[low, high]"), ":--", *intervals])
        lines = [f"| {' | '.join(line)} |" for line in zip(*map(_pad, columns))]
        # what begins with one of these signs would be a quotation, a heading or a list
        notes = [re.sub(r"^(?=[>#+-])", r"\\", _markdown(note)) for note in _bold(self.notes)]
        return "\n\n".join(["\n".join(lines), *notes]) + "\n"

    def to_html(self) -> str:
        """Return the table in HTML, the best of several in bold.

        Marks take no width, and intervals have cells of their own, so that numbers are aligned.
        """
        span = 1 + any(cell.interval for row in self.cells for cell in row)
        lines = []
        for heads in _head_rows(self):
            line = "<td></td>"
            for text, count in heads:
                scope = "col" if count * span == 1 else "colgroup"
                line += f'<th colspan="{count * span}" scope="{scope}">{html.escape(text)}</th>'
            lines.append(f"<tr>{line}</tr>")
        lines.append('</thead>\n<tbody style="text-align: right; white-space: nowrap">')
        rows = [
            f'<th scope="row" style="text-align: left">{html.escape(str(head))}</th>'
            for head in self.rows
        ]
        for cells in zip(*self.cells):
            room = max(len(cell.marks) for cell in cells)
            for i, (number, marks, interval) in enumerate(zip(*_parts(cells, _HTML))):
                sides = f"padding-left: 1ch; padding-right: {room + 1}ch"
                rows[i] += f'<td style="{sides}">{number}{marks}</td>'
                rows[i] += f'<td style="text-align: left">{interval}</td>' * (span - 1)
        lines += [f"<tr>{row}</tr>" for row in rows]
        notes = "<br>".join(map(html.escape, _bold(self.notes)))
        body = "\n".join(lines)
        return (
            '<table style="font-variant-numeric: tabular-nums">'
            f'<caption style="caption-side: bottom; text-align: left">{notes}</caption>\n'
            f"<thead>\n{body}\n</tbody></table>\n"
        )

    def to_latex(
        self, *, width: float | None = None, caption: str | None = None, label: str | None = None
    ) -> str:
        r"""Return the table in LaTeX (booktabs and graphicx), the best of several in bold.

        LaTeX measures the table, and scales it down where it is wider than the text around it. The
        notes are set below at its width, but in no less than 2 inches. LaTeX warns of type too
        small to read; then make the table wider, transpose it (``rows=`` of
        :func:`pt_cumgain.paper_table`), or choose fewer systems or measures.

        Parameters
        ----------
        width
            Fit the table to this width in inches instead: 3.3 is a column of a paper, 7 a page of
            two columns.
        caption, label
            With one of them the table stands in ``table`` (wider than 3.5 inches in ``table*``,
            which goes over both columns).

        Notes
        -----
        pdflatex sets European letters; for others, as Chinese ones, take xelatex or lualatex with
        a font that has them.
        """
        known = isinstance(width, (int, float)) and not isinstance(width, bool)
        if width is not None and not (known and 0 < width < math.inf):
            raise ValueError(f"width={width!r} must be inches, such as 3.3 or 7")
        fitted = r"\linewidth" if width is None else f"{width:g}in"
        wide = width is not None and width > 3.5
        least = f"{min(2, width or 2):g}in"
        below = rf"\ifdim\wd0<{least} {least}\else\wd0\fi"
        lines = [
            rf"\noindent\begin{{minipage}}{{{fitted}}}\centering",
            *[r"\sbox0{%", *_latex_tabular(self, _BESIDE[wide])],
            rf"\ifdim.6\wd0>\linewidth\PackageWarning{{pt-cumgain}}{{{_TINY}}}\fi",
            r"\ifdim\wd0>\linewidth\sbox0{\resizebox{\linewidth}{!}{\usebox0}}\fi",
            r"\usebox0\par\smallskip",
            rf"\begin{{minipage}}{{{below}}}\footnotesize\raggedright",
            "\\par\n".join(map(_latex_note, _bold(self.notes))),
            r"\end{minipage}\end{minipage}",
        ]
        if caption is not None or label is not None:
            kind = "table*" if wide else "table"
            before = [rf"\begin{{{kind}}}[t]", r"\centering"]
            before += [] if caption is None else [rf"\caption{{{_latex(caption)}}}"]
            before += [] if label is None else [rf"\label{{{label}}}"]
            lines = [*before, *lines, rf"\end{{{kind}}}"]
        return "\n".join([r"% needs \usepackage{booktabs,graphicx}", *lines]) + "\n"

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()


def _parts(cells: Sequence[Cell], form: Format) -> tuple[list[str], list[str], list[str]]:
    """Return what is aligned in a column: numbers at their points, marks, intervals."""
    before = [len(cell.text.partition(".")[0]) for cell in cells]
    after = [len(cell.text) - digits for cell, digits in zip(cells, before)]
    numbers = []
    for cell, left, right in zip(cells, before, after):
        text = form.best.format(form.escape(cell.text)) if cell.best else form.escape(cell.text)
        text = form.before * (max(before) - left) + text + form.after * (max(after) - right)
        numbers.append(text if cell.text else "")
    marks = [form.marks.format(form.escape(c.marks)) if c.marks else "" for c in cells]
    return (
        numbers,
        marks,
        [form.interval.format(form.escape(c.interval)) if c.interval else "" for c in cells],
    )


def _text_column(cells: Sequence[Cell]) -> list[str]:
    """Return a column as text, with numbers, marks and intervals below each other."""
    numbers, *more = map(_pad, _parts(cells, _TEXT))
    return _pad([" ".join(line).rstrip() for line in zip(numbers, *filter("".join, more))])


def _fit(table: Table, width: float) -> tuple[int, list[int]]:
    """Return how many characters wide the labels of the rows and each column are.

    As few heads are broken as can be, then labels; the whole can still be wider than ``width``.
    """
    whole = max((_length(str(head)) for head in table.rows), default=0)
    heads = [_length(str(head)) for head in table.columns]
    inside = [_length(_text_column(cells)[0]) for cells in zip(*table.cells)]
    for labels in (whole, int(min(whole, max(_LABELS * width, _HEAD)))):
        for most in range(max([_HEAD, *heads]), _HEAD - 1, -1):
            columns = [max(cells, min(head, most)) for cells, head in zip(inside, heads)]
            if labels + sum(columns) + _GAP * len(columns) <= width:
                return labels, columns
    return labels, columns


def _head_rows(table: Table) -> list[list[tuple[str, int]]]:
    """Return the rows of heads, each head with the number of its columns.

    Where neighbours differ in nothing but the cutoff, measures stand above, and cutoffs below.
    """
    heads = [str(head) for head in table.columns]
    split = [re.fullmatch(r"(.*\S)\s*(@\s*\d+)", head) for head in heads]
    groups = groupby(match[1] if match else "" for match in split)
    above = [(name, len(list(group))) for name, group in groups]
    if not any(name and count > 1 for name, count in above):
        return [[(head, 1) for head in heads]]
    return [above, [(match[2] if match else head, 1) for match, head in zip(split, heads)]]


def _bold(notes: Sequence[str]) -> list[str]:
    return [note.replace(BEST, BOLD) for note in notes]


def _length(text: str) -> int:
    """Return how many characters wide a text is: Chinese ones are two, combining accents none."""
    return sum(
        1 + (unicodedata.east_asian_width(sign) in "WF")
        for sign in text
        if unicodedata.category(sign) not in ("Mn", "Me", "Cf")
    )


def _pad(texts: Sequence[str], *, left: bool = False) -> list[str]:
    """Return texts of the same length."""
    blanks = [" " * (max(map(_length, texts)) - _length(text)) for text in texts]
    return [blank + text if left else text + blank for text, blank in zip(texts, blanks)]


def break_lines(text: str, width: float) -> list[str]:
    """Break a text into lines of this width."""
    lines = [""]
    for piece in _pieces(text, width, _BREAKS):
        if lines[-1] and _length((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def _pieces(text: str, width: float, breaks: Sequence[str]) -> Iterator[str]:
    """Yield the parts of a text that stay whole."""
    for part in re.split(breaks[0], text):
        if breaks[1:] and _length(part.rstrip()) > width:
            yield from _pieces(part, width, breaks[1:])
        else:
            yield part


def _text_block(table: Table, block: list[int], labels: int, columns: list[int]) -> str:
    """Return some columns as text; numbers, marks and intervals stand below each other."""
    rows = [
        (break_lines(str(head), labels), [row[i] for i in block])
        for head, row in zip(table.rows, table.cells)
        if any(row[i].text for i in block)  # of half a table some are empty
    ]
    heads = [break_lines(str(table.columns[i]), columns[i]) for i in block]
    names = [[""]] * max(map(len, heads)) + [lines for lines, _ in rows]
    texts = []
    for head, *cells in zip(heads, *(cells for _, cells in rows)):
        blank = [""] * (len(names) - len(rows) - len(head))
        texts.append(_pad([*blank, *head, *_text_column(cells)], left=True))
    lines = []
    for (first, *others), *cells in zip(names, *texts):
        label = first + " " * (labels - _length(first))
        lines.append((" " * _GAP).join([label, *cells]).rstrip())
        lines += [f"  {line}" for line in others]
    return "\n".join(lines)


def _latex_tabular(table: Table, most: int) -> list[str]:
    """Return the tabular; in more columns than ``most`` intervals stand below their means."""
    parts = [_parts(cells, _LATEX) for cells in zip(*table.cells)]
    inside = [_length(_text_column(cells)[0]) for cells in zip(*table.cells)]
    marked, ranged = (any(any(column[i]) for column in parts) for i in (1, 2))
    beside = ranged and len(parts) <= most
    below = ranged and not beside
    span = 1 + marked + beside
    kinds = ("r" + r"@{}l" * marked + r"@{\ }l" * beside) * len(parts)
    lines = [rf"\begin{{tabular}}{{@{{}}l{kinds}@{{}}}}", r"\toprule"]
    heads = _head_rows(table)
    for row in heads:
        line = rules = ""
        at = 0
        for text, count in row:
            wide = sum(inside[at : at + count]) + _GAP * (count - 1)
            if count == 1 and not ranged:  # above the digits alone
                line += f" & {_latex_head(text, max(wide, _LATEX_HEAD), 'r')}" + " &" * marked
            else:
                head = _latex_head(text, max(wide, _LATEX_HEAD), "c")
                line += rf" & \multicolumn{{{span * count}}}{{c}}{{{head}}}"
            if text and row is not heads[-1]:
                rules += rf" \cmidrule(l){{{2 + span * at}-{1 + span * (at + count)}}}"
            at += count
        lines.append(rf"{line} \\{rules}")
    lines.append(r"\midrule")
    for i, label in enumerate(table.rows):
        line, *more = map(_latex, break_lines(str(label), _LATEX_LABEL))
        under = ""
        for numbers, marks, intervals in parts:
            line += f" & {numbers[i]}" + f" & {marks[i]}" * marked + f" & {intervals[i]}" * beside
            under += rf" & \multicolumn{{{span}}}{{l}}{{{intervals[i]}}}"
        lines.append(rf"{line} \\")
        for text, rest in zip_longest(more, [under] * below, fillvalue=""):
            lines.append(rf"\quad {text}{rest} \\")
        lines += [r"\addlinespace"] * below
    return [*lines, r"\bottomrule", r"\end{tabular}}%"]


def _latex_head(text: str, width: int, side: str) -> str:
    first, *others = map(_latex, break_lines(text, width))
    lines = r" \\ ".join([first, *others])
    return rf"\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}{lines}\end{{tabular}}" if others else first


def _latex_note(note: str) -> str:
    words = [_pieces(word, _LATEX_WORD, _BREAKS) for word in note.split()]
    return " ".join(r"\allowbreak{}".join(map(_latex, pieces)) for pieces in words)
