"""A table as text, Markdown, LaTeX or HTML, fitted to a width.

What stands in the cells is decided elsewhere (:mod:`pt_cumgain.presentation.tables`).
"""

from __future__ import annotations

import html
import math
import re
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

_LATEX = {
    "\\": r"\textbackslash{}",
    **{sign: rf"\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    ">": "$>$",
    "<": "$<$",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "–": "--",
    "[": "{[}",
    "]": "{]}",
    "|": r"\textbar{}",
    '"': "''",
    "−": "$-$",
    "•": r"\textbullet{}",
}

#: The best of several; where there is bold type, that is in place of it.
BEST = "•"
BOLD = "Bold"
#: Sizes of type to try, in points; a table that fits in none gets keys for its heads, then blocks.
_SIZES = (10, 9, 8)
#: A point's share of an inch, as TeX has it.
_POINTS = 72.27
#: The height of a page's text, in inches.
_PAGE = 9
#: The space between two columns, in points and in characters.
_GAP, _SPACES = 8.0, 2
#: The share of the width that the labels of the rows may have before they are broken.
_LABELS = 0.4
#: How much smaller intervals and raised marks are set.
_SMALLER = 0.8
#: Widths of the letters of Computer Modern in thousandths of the size; Times is narrower.
_WIDTHS = {
    **dict.fromkeys(".,;:'il[]|!", 280), **dict.fromkeys("fjrst()-", 400), "I": 370,
    **dict.fromkeys("mwMWO@%#", 920), **dict.fromkeys("=<>+~^&", 800), "_": 330, " ": 340,
    **dict.fromkeys("ABCDEFGHJKLNPQRSTUVXYZ", 760),
}  # fmt: skip


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
class Type:
    """A size of type: what measures a text, and the space between columns."""

    size: float
    width: Callable[[str], float]
    gap: float


@dataclass(frozen=True)
class Layout:
    """How a table fits: the columns of each block, and which heads are keys alone."""

    blocks: list[list[int]]
    label_width: float
    size: float = _SIZES[0]
    keys: bool = False
    broken: bool = False

    def words(self, width: float) -> str:
        """Say what was done to fit the width, in inches; empty if nothing was."""
        done = [f"type of {self.size:g} points"] if self.size < _SIZES[0] else []
        if self.broken:
            done.append("broken labels")
        if self.keys:
            done.append("heads as keys")
        if len(self.blocks) > 1:
            done.append(f"{len(self.blocks)} blocks of columns")
        return f"to fit {width:g} in: {', '.join(done)}" if done else ""


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
            In characters. Heads that are too long become keys with a legend, and columns that do
            not fit come in blocks, one below the other.
        """
        if width is not None and not 1 <= width < math.inf:
            raise ValueError(f"width={width!r} must be characters, such as 100")
        plain = Type(_SIZES[0], len, _SPACES)
        layout = _fit(self, width, [plain], lambda wide: f"{math.ceil(wide)} characters")
        blocks = [_text_block(self, block, layout) for block in layout.blocks]
        notes = [*_legend(self, layout), *self.notes]
        if width is not None:
            notes = [textwrap.fill(note, width, break_on_hyphens=False) for note in notes]
        return "\n".join(["\n\n".join(blocks), *notes]) + "\n"

    def to_markdown(self) -> str:
        """Return the table in Markdown, the best of several in bold, marks raised by HTML."""
        heads = ["", *(_markdown(str(head)) for head in self.columns)]
        lines = [heads, ["---", *["---:"] * len(self.columns)]]
        for label, cells in zip(self.rows, self.cells):
            texts = []
            for cell in cells:
                text = f"**{cell.text}**" if cell.best else cell.text
                text += f"<sup>{_markdown(cell.marks)}</sup>" if cell.marks else ""
                texts.append(" ".join(filter(None, [text, cell.interval])))
            lines.append([_markdown(str(label)), *texts])
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"{table}\n\n" + "\n\n".join(map(_markdown, _bold(self.notes))) + "\n"

    def to_html(self) -> str:
        """Return the table in HTML, the best of several in bold."""
        side = 'style="text-align: left"'
        heads = "".join(f"<th>{html.escape(str(head))}</th>" for head in self.columns)
        lines = []
        for label, cells in zip(self.rows, self.cells):
            texts = []
            for cell in cells:
                text = f"<b>{cell.text}</b>" if cell.best else cell.text
                text += f"<sup>{html.escape(cell.marks)}</sup>" if cell.marks else ""
                text += f" <small>{cell.interval}</small>" if cell.interval else ""
                texts.append(f"<td>{text}</td>")
            lines.append(f"<tr><th {side}>{html.escape(str(label))}</th>{''.join(texts)}</tr>")
        notes = "<br>".join(map(html.escape, _bold(self.notes)))
        caption = f'<caption style="caption-side: bottom; text-align: left">{notes}</caption>'
        body = "\n".join(lines)
        return (
            f"<table>{caption}\n<thead><tr><th></th>{heads}</tr></thead>\n"
            f"<tbody>\n{body}\n</tbody></table>\n"
        )

    def to_latex(
        self, *, width: float = 7.0, caption: str | None = None, label: str | None = None
    ) -> str:
        r"""Return the table in LaTeX (package booktabs), the best of several in bold.

        Parameters
        ----------
        width
            In inches: 7 is a page of two columns, 3.3 one of them. The type is of 10, 9 or 8
            points; where that is not enough, labels are broken, heads become keys with a legend
            below, and the columns come in blocks. A comment in the first line says so.
        caption, label
            With one of them the table stands in ``table`` (wider than 3.5 inches in ``table*``,
            which goes over both columns).

        Raises
        ------
        ValueError
            If not even one column fits.

        Notes
        -----
        pdflatex sets European letters; for others, as Chinese ones, take xelatex or lualatex with
        a font that has them. A table that is higher than a page is warned of.
        """
        known = isinstance(width, (int, float)) and not isinstance(width, bool)
        if not (known and 0 < width < math.inf):
            raise ValueError(f"width={width!r} must be inches, such as 3.3 or 7")
        types = [Type(size, _points(size), _GAP * size / 10) for size in _SIZES]
        layout = _fit(self, width * _POINTS, types, lambda wide: f"{wide / _POINTS:.2f} in")
        lines = [
            rf"\begin{{minipage}}{{{width:g}in}}\centering",
            rf"\fontsize{{{layout.size:g}}}{{{1.2 * layout.size:g}}}\selectfont",
            rf"\setlength{{\tabcolsep}}{{{_GAP * layout.size / 20:g}pt}}%",
        ]
        for i, block in enumerate(layout.blocks):
            lines += [r"\par\medskip"] * (i > 0) + _latex_block(self, block, layout)
        lines.append(r"\par\smallskip\raggedright")
        lines.append("\\par\n".join(map(_latex, [*_legend(self, layout), *_bold(self.notes)])))
        lines.append(r"\end{minipage}")
        if caption is not None or label is not None:
            kind = "table*" if width > 3.5 else "table"
            before = [rf"\begin{{{kind}}}[t]", r"\centering"]
            before += [] if caption is None else [rf"\caption{{{_latex(caption)}}}"]
            before += [] if label is None else [rf"\label{{{label}}}"]
            lines = [*before, *lines, rf"\end{{{kind}}}"]
        else:
            lines[0] = rf"\noindent{lines[0]}"
        if words := layout.words(width):
            lines.insert(0, f"% {words}")
        _warn_of_height(self, layout, width)
        return "\n".join(lines) + "\n"

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()


def _fit(
    table: Table, width: float | None, types: Sequence[Type], words: Callable[[float], str]
) -> Layout:
    """Return how a table fits a width; ``words`` says a width in an error.

    Columns come in as few blocks as can be; then heads and labels stay whole if they can, and the
    type is as large as it can be.
    """
    every = list(range(len(table.columns)))
    if width is None:
        return Layout([every], max((types[0].width(str(head)) for head in table.rows), default=0))
    widths = {
        keys: [(type_, *_widths(table, type_, keys=keys)) for type_ in types]
        for keys in (False, True)
    }
    for blocks in every:
        step = -(-len(every) // (blocks + 1))
        parts = [every[at : at + step] for at in range(0, len(every), step)]
        for keys, broken_labels in ((False, False), (False, True), (True, False), (True, True)):
            for type_, whole, columns in widths[keys]:
                labels = min(whole, _LABELS * width) if broken_labels else whole
                if all(
                    labels + sum(type_.gap + columns[i] for i in part) <= width for part in parts
                ):
                    return Layout(parts, labels, type_.size, keys=keys, broken=labels < whole)
    type_, whole, columns = widths[True][-1]
    needed = min(whole, _LABELS * width) + type_.gap + max(columns)
    raise ValueError(
        f"a column of this table does not fit: it needs {words(needed)}, and the width is "
        f"{words(width)}; take a larger width, or fewer places"
    )


def _widths(table: Table, type_: Type, *, keys: bool) -> tuple[float, list[float]]:
    """Return how wide the labels of the rows are, and each column."""
    heads = [head.key for head in _keyed(table.columns)] if keys else map(str, table.columns)
    labels = max((type_.width(str(head)) for head in table.rows), default=0)
    columns = [
        max(type_.width(head), _inside([row[i] for row in table.cells], type_))
        for i, head in enumerate(heads)
    ]
    return labels, columns


def _inside(cells: Sequence[Cell], type_: Type) -> float:
    """Return the width of a column's cells, whose numbers, marks and intervals are aligned."""
    in_text = type_.width is len
    best = any(cell.best for cell in cells)
    numbers = [cell.text + (BEST if in_text and best else "") for cell in cells]
    width = max(map(type_.width, numbers), default=0)
    if best and not in_text:
        width *= 1.15  # bold letters are wider
    blank, small = type_.width(" "), 1.0 if in_text else _SMALLER
    for texts, gap in (
        ([cell.marks for cell in cells], blank if in_text else 0),
        ([cell.interval for cell in cells], blank),
    ):
        if any(texts):
            width += gap + small * max(map(type_.width, texts))
    return width


def _points(size: float) -> Callable[[str], float]:
    """Return what measures a text in points, set in this size."""
    # small sizes of Computer Modern are wider for their height
    scale = size / 1000 * (1.07 if size < 10 else 1.01)
    return lambda text: scale * sum(_WIDTHS.get(sign, 560) for sign in text)


def _keyed(heads: Sequence[Head]) -> list[Head]:
    """Return heads that all have a key."""
    return [
        head if head.key else replace(head, key=f"({i})") for i, head in enumerate(heads, start=1)
    ]


def _legend(table: Table, layout: Layout) -> list[str]:
    """Return what the keys stand for, if heads are keys alone."""
    if not layout.keys:
        return []
    return [", ".join(f"{head.key} {head.text}" for head in _keyed(table.columns)) + "."]


def _warn_of_height(table: Table, layout: Layout, width: float) -> None:
    """Warn of a table that is higher than a page."""
    size = _points(layout.size)
    labels = [len(broken(str(head), layout.label_width + 0.01, size)) for head in table.rows]
    notes = [
        math.ceil(size(note) / (width * _POINTS))
        for note in [*_legend(table, layout), *table.notes]
    ]
    lines = len(layout.blocks) * (sum(labels) + 2.5) + sum(notes) + 1
    height = lines * 1.2 * layout.size / _POINTS
    if height > _PAGE:
        warnings.warn(
            f"the table is about {height:.0f} in high at a width of {width:g} in, and does not fit "
            "a page; make it wider, turn it (rows=), or give shorter labels",
            stacklevel=3,
        )


def _bold(notes: Sequence[str]) -> list[str]:
    return [note.replace(BEST, BOLD) for note in notes]


def _heads(table: Table, block: list[int], layout: Layout) -> list[str]:
    heads = [head.key for head in _keyed(table.columns)] if layout.keys else table.columns
    return [str(heads[i]) for i in block]


def broken(text: str, width: float, size: Callable[[str], float]) -> list[str]:
    """Break a text into lines of this width: after blanks, signs, hyphens, else anywhere."""
    lines = [""]
    for part in re.split(r"(?<=[\s,_/(])", text):
        if lines[-1] and size((lines[-1] + part).rstrip()) > width:
            lines.append("")
        whole = size(part) <= width
        for piece in [part] if whole else re.split(r"(?<=-)", part):
            if lines[-1] and size((lines[-1] + piece).rstrip()) > width:
                lines.append("")
            for sign in piece:
                if lines[-1] and size(lines[-1] + sign) > width:
                    lines.append("")
                lines[-1] += sign
    return [line.strip() for line in lines]


def _text_block(table: Table, block: list[int], layout: Layout) -> str:
    """Return some columns as text; numbers, marks and intervals stand below each other."""
    columns = []
    rows = _rows(table, block)
    for i in block:
        cells = [row[i] for _, row in rows]
        texts = [f"{cell.text}{BEST if cell.best else ''}" for cell in cells]
        if any(cell.best for cell in cells):
            texts = [text if text.endswith(BEST) else f"{text} " for text in texts]
        parts = [_padded(texts, str.rjust)]
        for more in ([cell.marks for cell in cells], [cell.interval for cell in cells]):
            if any(more):
                parts.append(_padded(more, str.ljust))
        columns.append([" ".join(of_row).rstrip() for of_row in zip(*parts)])
    heads = _heads(table, block, layout)
    wide = int(layout.label_width)
    labels = [broken(str(head), max(wide, 1), len) for head, _ in rows]
    padded = [
        _padded([head, *_padded(column, str.ljust)], str.rjust)
        for head, column in zip(heads, columns)
    ]
    lines = []
    for i, label in enumerate([[""], *labels]):
        cells_of_row = [column[i] for column in padded]
        lines.append((" " * _SPACES).join([label[0].ljust(wide), *cells_of_row]).rstrip())
        lines += [f"  {more}" for more in label[1:]]
    return "\n".join(lines)


def _rows(table: Table, block: list[int]) -> list[tuple[Head, Sequence[Cell]]]:
    """Return the rows, but for those that are empty in these columns."""
    rows = zip(table.rows, table.cells)
    return [(head, row) for head, row in rows if any(row[i].text for i in block)]


def _padded(texts: list[str], pad: Callable[[str, int], str]) -> list[str]:
    longest = max(map(len, texts), default=0)
    return [pad(text, longest) for text in texts]


def _latex_block(table: Table, block: list[int], layout: Layout) -> list[str]:
    size = _points(layout.size)
    # marks and intervals stand in columns of their own, so that all are aligned
    marked = [any(row[i].marks for row in table.cells) for i in block]
    ranged = [any(row[i].interval for row in table.cells) for i in block]
    kinds = "".join("r" + r"@{}l" * marks + r"@{\ }l" * ends for marks, ends in zip(marked, ranged))
    heads = [
        rf"\multicolumn{{{1 + marks + ends}}}{{r}}{{{_latex(head)}}}"
        if marks or ends
        else _latex(head)
        for head, marks, ends in zip(_heads(table, block, layout), marked, ranged)
    ]
    lines = [
        rf"\begin{{tabular}}{{@{{}}l{kinds}@{{}}}}",
        r"\toprule",
        " & ".join(["", *heads]) + r" \\",
        r"\midrule",
    ]
    for head, row in _rows(table, block):
        label = [_latex(line) for line in broken(str(head), layout.label_width + 0.01, size)]
        text = label[0]
        if len(label) > 1:
            lines_of_it = r" \\ ".join(label)
            text = rf"\begin{{tabular}}[t]{{@{{}}l@{{}}}}{lines_of_it}\end{{tabular}}"
        cells = [
            _latex_cell(row[i], layout, marks=marks, ends=ends)
            for i, marks, ends in zip(block, marked, ranged)
        ]
        lines.append(" & ".join([text, *cells]) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _latex_cell(cell: Cell, layout: Layout, *, marks: bool, ends: bool) -> str:
    text = _latex(cell.text.replace("-", "−"))
    parts = [rf"\textbf{{{text}}}" if cell.best else text]
    if marks:
        parts.append(rf"\textsuperscript{{{_latex(cell.marks)}}}" if cell.marks else "")
    if ends:
        between = _latex(cell.interval.replace("-", "−"))
        small = int(_SMALLER * layout.size)  # a size that Computer Modern has
        parts.append(rf"\fontsize{{{small}}}{{{layout.size:g}}}\selectfont {between}")
    return " & ".join(parts)


def _markdown(text: object) -> str:
    return re.sub(r"([*_|`\\<\[])", r"\\\1", " ".join(str(text).split()))


def _latex(text: object) -> str:
    signs = [_LATEX.get(sign, sign) for sign in " ".join(str(text).split())]
    # two hyphens or quotes would become one sign, and a star is an option of what is before it
    joined = ["{}" * (a == b and a in "-'`,") + b for a, b in zip(["", *signs], signs)]
    return "".join(joined).replace("*", "{*}")
