"""A table as text, Markdown, LaTeX or HTML.

:mod:`pt_cumgain.comparing._layout` fills the cells. LaTeX and browsers measure the
letters; here characters are counted only to break long names.
"""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, zip_longest

from pt_cumgain.environment.terminal import drop_controls, escape_controls
from pt_cumgain.environment.warning import warn
from pt_cumgain.measures import split_cutoff
from pt_cumgain.options import checked, number

_LATEX_SIGNS = {
    **{sign: rf"\{sign}" for sign in "&%$#_{}"}, **{sign: f"${sign}$" for sign in "<>"},
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "|": r"\textbar{}", "[": "{[}", "]": "{]}", '"': "''", "–": "--", "−": "$-$",
    "†": r"$\dagger$", "↓": r"$\downarrow$", "‡": r"$\ddagger$", "•": r"$\bullet$",
}  # fmt: skip

#: The symbols of parameters and of p-values.
_SYMBOL = re.compile(r"\b(?:b(?:_q)?(?= = )|p(?= = | \$?[<>]))")
#: The formulas in names of parameters and in descriptions, and what they are in LaTeX.
_FORMULAS = {
    "2^level - 1": r"$2^\mathrm{level} - 1$",
    "log2(rank + 1)": r"$\log_{2} (\mathrm{rank} + 1)$",
}
#: Marks the best of several values; formats that have bold type use that instead.
BEST = "•"
#: In text: the characters between two columns, the shortest lines of broken heads, and the share of
#: the width that labels may take up before they are broken.
_GAP, _HEAD, _LABELS = 2, 8, 0.35
#: In LaTeX: the characters of a head, a label and a word of the notes before they are broken.
_LATEX_HEAD, _LATEX_LABEL, _LATEX_WORD = 12, 32, 24
#: In LaTeX: the columns for each part of a column of the table.
_LATEX_COLUMNS = {"numbers": "r", "marks": r"@{}l", "intervals": r"@{\ }l"}
#: In LaTeX: the least size of type, and the usual width of a character of 8 points, in points.
_LEAST, _CHARACTER = 5, 3.8
#: In HTML: the styles of labels, and of each part of a column of the table.
_HTML_STYLES = {
    "labels": "text-align: left; vertical-align: baseline; font-weight: normal",
    "numbers": "text-align: right; vertical-align: baseline; padding: 1px 0 1px 1ch",
    "marks": "text-align: left; vertical-align: baseline; padding: 1px 0",
    "intervals": "text-align: left; vertical-align: baseline; padding: 1px 0 1px 1ch",
}
_TABLE = "font-variant-numeric: tabular-nums; border-collapse: collapse; border-block: 2px solid"
#: In HTML: a p-value in one line.
_P_BELOW = " p\u00a0&lt;\u00a0"
_CAPTION = "caption-side: bottom; text-align: left; font-size: 0.9em"
#: Where a text may be broken: after blanks, but not before the dash of "A - B"; a part longer than
#: a line, at the next signs, but not after the name of a parameter, such as _k1=, nor inside a
#: scheme such as 0-1-10-100.
_BREAKS = (
    r"(?<=\s)(?<![=≥] )(?![-=≥] )", r"(?<=[,/])|(?=[@(])", r"(?=_[^\W_]+=)",
    r"(?<=_)(?![^\W_]+=)", r"(?<=[-.])",
)  # fmt: skip
_SCHEME = re.compile(r"\(?(\w+=)?\W*[\d.]+(-[\d.]+)+\W*")


def _markdown(text: object) -> str:
    return re.sub(r"([*_|`~&\\<\[])", r"\\\1", " ".join(str(text).split()))


def escape_latex(text: object) -> str:
    """Return a text as LaTeX shows it as it is, without controls, which no engine compiles."""
    shown = drop_controls(" ".join(str(text).split()))
    signs = [_LATEX_SIGNS.get(sign, sign) for sign in shown]
    # two hyphens or quotes would become one sign, and a star the option of a command before it
    pairs = zip(["", *signs], signs)
    apart = [f"{{}}{b}" if a == b and a in "-'`," else b for a, b in pairs]
    return "".join(apart).replace("*", "{*}")


def set_symbols(text: str) -> str:
    """Return a text in which symbols, as in ``b = 10``, are mathematics."""
    return _SYMBOL.sub(r"$\g<0>$", text.replace(r"b\_q = ", "b_q = "))


def write_latex(text: str, formulas: Mapping[str, str]) -> str:
    """Return a text in LaTeX, its symbols as mathematics.

    ``formulas`` has parts of the text, and what they are in LaTeX.
    """
    latex = set_symbols(escape_latex(text))
    for words, formula in {**_FORMULAS, **formulas}.items():
        latex = latex.replace(set_symbols(escape_latex(words)), formula)
    return re.sub(r"\$p\$ \$<\$ ([.\d]*\d)", r"\\mbox{$p < \1$}", latex)  # stays in one line


@dataclass(frozen=True)
class Format:
    """Templates for the best value, marks and intervals, the minus, and blanks for digits."""

    best: str
    marks: str = "{}"
    interval: str = "{}"
    escape: Callable[[str], str] = str
    minus: str = "-"
    before: str = ""
    after: str = ""

    def write(self, template: str, text: str) -> str:
        """Return a text in a template, or nothing if it is empty."""
        return template.format(self.escape(text.replace("-", self.minus))) if text else ""


_TEXT = Format(f"{{}}{BEST}", before=" ")
_MARKDOWN = Format("**{}**", "<sup>{}</sup>", escape=_markdown, before="\u2007")
_HTML = Format(
    "<b>{}</b>", '<sup style="line-height: 0">{}</sup>', "<small>{}</small>", html.escape, "−",
    after="\u2007",
)  # fmt: skip
_LATEX = Format(
    r"\textbf{{{}}}", r"\textsuperscript{{{}}}", r"\scriptsize {}",
    escape_latex, "−", after=r"\phantom{0}",
)  # fmt: skip


@dataclass(frozen=True)
class Head:
    """A row or column heading: text, the name of several columns, small print.

    If others of the same text have small print, ``usual`` stands for it in LaTeX and HTML.
    """

    text: str
    above: str = ""
    below: str = ""
    usual: str = "default"

    def __str__(self) -> str:
        below = f"({self.below})" if self.below else ""
        return escape_controls(" ".join(f"{self.above} {self.text} {below}".split()))


@dataclass(frozen=True)
class Cell:
    """A number, whether it is the best of several, its raised marks, and its interval."""

    text: str
    best: bool = False
    marks: str = ""
    interval: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", escape_controls(self.text))  # may name systems

    def plain(self) -> str:
        """Return the cell as text."""
        text = f"{self.text}{BEST}" if self.best else self.text
        return " ".join(part for part in (text, self.marks, self.interval) if part)


@dataclass(frozen=True)
class Table:
    """A table that prints as text, Markdown, LaTeX or HTML; control characters are escaped.

    Attributes
    ----------
    columns, rows
        Their heads.
    cells
        A list for each row.
    notes
        The sentences below the table.
    interval
        What the cells' intervals are, for formats in which they have columns of their own.
    formulas
        Parts of the notes that are formulas in LaTeX.
    """

    columns: Sequence[Head]
    rows: Sequence[Head]
    cells: Sequence[Sequence[Cell]]
    notes: Sequence[str]
    interval: str = field(default="[low, high]", kw_only=True)
    formulas: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", [escape_controls(note) for note in self.notes])

    @property
    def note(self) -> str:
        """The notes, one a line."""
        return "\n".join(self.notes)

    @checked(width=number("characters, such as 100", 100, least=1).optional())
    def to_text(self, width: float | None = None) -> str:
        """Return the table as plain text; a bullet marks the best of several values.

        Parameters
        ----------
        width
            In characters. Long heads and labels are broken into lines; columns that do not fit
            follow in blocks, one below the other.
        """
        most = width or math.inf
        notes = chain.from_iterable(break_lines(note, most) for note in self.notes)
        if not self.rows:
            return "\n".join(notes) + "\n"
        cells = _text_columns(self)
        room, heads, widths = _fit(self, cells, most)
        depth = max(len(head) for head in heads)
        labels = [""] * depth + ["\n  ".join(break_lines(str(head), room)) for head in self.rows]
        blocks: list[list[list[str]]] = []
        left = 0.0
        for head, below, wide in zip(heads, cells, widths):
            if wide + _GAP > left:
                blocks.append([])
                left = most - room
            left -= wide + _GAP
            blocks[-1].append(pad([*[""] * (depth - len(head)), *head, *below], left=True))
        texts = [_text_block(labels, room, block) for block in blocks]
        return "\n".join(["\n\n".join(texts), *notes]) + "\n"

    def to_markdown(self) -> str:
        """Return the table in Markdown, the best of several values in bold, marks raised by HTML.

        Numbers are at the left of their cells, where marks do not move them. Intervals have columns
        of their own.
        """
        columns = [pad(["", ":--", *(_markdown(head) for head in self.rows)])]
        for head, parts in zip(self.columns, _list_columns(self, _MARKDOWN)):
            cells = parts["numbers"]
            if "marks" in parts:
                cells = [number + marks for number, marks in zip(cells, parts["marks"])]
            columns.append(pad([_markdown(head), ":--", *cells]))
            if "intervals" in parts:
                columns.append(pad([_markdown(self.interval), ":--", *parts["intervals"]]))
        lines = [f"| {' | '.join(line)} |" for line in zip(*columns)]
        # a note that begins with one of these signs would be a quotation, a heading or a list
        notes = [re.sub(r"^(?=[>#+-])", r"\\", _markdown(note)) for note in _bold(self.notes)]
        return "\n\n".join(["\n".join(lines), *notes]) + "\n"

    def to_html(self) -> str:
        """Return the table in HTML, the best of several values in bold.

        Marks and intervals have cells of their own, so that numbers are aligned.
        """
        columns = _list_columns(self, _HTML)
        lines = []
        for depth, heads in enumerate(_head_rows(self)):
            size = "<small>{}</small>" if depth and any(h.below for h in self.columns) else "{}"
            line = "<td></td>"
            for text, count in heads:
                span = count * len(columns[0])
                scope = "col" if span == 1 else "colgroup"
                text = size.format(html.escape(text)) if text else ""
                line += f'<th colspan="{span}" scope="{scope}">{text}</th>'
            lines.append(f"<tr>{line}</tr>")
        lines.append('</thead>\n<tbody style="white-space: nowrap">')
        for i, label in enumerate(self.rows):
            style, name = _HTML_STYLES["labels"], html.escape(str(label))
            line = f'<th scope="row" style="{style}">{name}</th>'
            for parts in columns:
                for kind, texts in parts.items():
                    line += f'<td style="{_HTML_STYLES[kind]}">{texts[i]}</td>'
            lines.append(f"<tr>{line}</tr>")
        notes = "<br>".join(html.escape(note) for note in _bold(self.notes))
        notes = notes.replace("2^level - 1", "2<sup>level</sup> − 1").replace(" p &lt; ", _P_BELOW)
        body = "\n".join(lines)
        return (
            f'<table cellpadding="3" style="{_TABLE}">'
            f'<caption style="{_CAPTION}">{notes}</caption>\n'
            f'<thead style="border-bottom: 1px solid">\n{body}\n</tbody></table>\n'
        )

    @checked(width=number("inches, such as 3.3 or 7", 3.3, 7, above=0, below=227).optional())
    def to_latex(self, *, width: float | None = None) -> str:
        r"""Return the table in LaTeX (booktabs and graphicx), the best of several values in bold.

        LaTeX measures the table. If it is wider than the text around it, it is set in
        ``\footnotesize``, and scaled down with its notes if that is still too wide. The notes are
        as wide as the table. If its numbers would have less than 5 points, LaTeX
        warns (and Python, if it has a ``width``); then make the table wider, transpose it
        (``rows=`` of :func:`pt_cumgain.paper_table`), or choose fewer systems or measures.

        Parameters
        ----------
        width
            Fit the table to this width in inches instead: 3.3 is the column of a paper, 7 a page
            of two columns.

        Notes
        -----
        pdflatex sets European letters; for others, such as Chinese ones, use xelatex or lualatex
        with a font that has them.
        """
        is_wide = len(self.columns) > len(self.rows)
        across = ' transpose it (rows="systems" or "measures"),' if is_wide else ""
        remedy = f"make the table wider,{across} or choose fewer systems or measures"
        fitted = r"\linewidth" if width is None else f"{width:g}in"
        heads = [min(text_width(text), _LATEX_HEAD) for text, _ in _head_rows(self)[-1]]
        inside = [max(h, text_width(c[0])) for h, c in zip(heads, _text_columns(self))]
        labels = min(max(text_width(str(head)) for head in self.rows), _LATEX_LABEL)
        points = _CHARACTER * (labels + sum(inside)) + 6 * len(inside)  # at 8 points
        size = 8 * 72.27 * (width or math.inf) / points
        if size < _LEAST:
            warn(f"the type of the table has about {size:.1f} points at width={width:g}; {remedy}")
        lines = [
            rf"\noindent\begin{{minipage}}{{{fitted}}}\centering",
            *[r"\def\cumgain{%", *_latex_tabular(self)],
            r"\sbox0{\cumgain}%",
            r"\ifdim\wd0>\linewidth\footnotesize\tabcolsep=3pt\sbox0{\cumgain}\fi",
            rf"\ifdim{_LEAST / 8}\wd0>\linewidth\PackageWarning{{pt-cumgain}}{{{remedy}}}\fi",
            r"\sbox0{\begin{minipage}{\wd0}\usebox0\par\smallskip",
            r"\footnotesize\raggedright",
            "\\par\n".join(_latex_note(note, self.formulas) for note in _bold(self.notes)),
            r"\end{minipage}}%",
            r"\ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi",
            r"\end{minipage}",
        ]
        return "\n".join([r"% needs \usepackage{booktabs,graphicx}", *lines]) + "\n"

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.to_html()


def _list_columns(table: Table, form: Format) -> list[dict[str, list[str]]]:
    """Return the texts of each column: the numbers aligned at their points, marks and intervals.

    Marks and intervals are left out if the table has none.
    """
    columns = []
    for position in range(len(table.columns)):
        cells = [row[position] for row in table.cells]
        before = [len(cell.text.partition(".")[0]) for cell in cells]
        after = [len(cell.text) - digits for cell, digits in zip(cells, before)]
        numbers = []
        for cell, left, right in zip(cells, before, after):
            text = form.write(form.best if cell.best else "{}", cell.text)
            text = form.before * (max(before) - left) + text + form.after * (max(after) - right)
            numbers.append(text if cell.text else "")
        marks = [form.write(form.marks, cell.marks) for cell in cells]
        ends = [form.write(form.interval, cell.interval) for cell in cells]
        columns.append({"numbers": numbers, "marks": marks, "intervals": ends})
    for kind in ("marks", "intervals"):
        if not any(any(parts[kind]) for parts in columns):
            for parts in columns:
                del parts[kind]
    return columns


def _text_columns(table: Table) -> list[list[str]]:
    """Return the columns as text, with numbers, marks and intervals below each other."""
    columns = []
    for parts in _list_columns(table, _TEXT):
        shown = [pad(texts) for kind, texts in parts.items() if kind == "numbers" or any(texts)]
        columns.append(pad([" ".join(line).rstrip() for line in zip(*shown)]))
    return columns


def _fit(
    table: Table, cells: Sequence[Sequence[str]], width: float
) -> tuple[int, list[list[str]], list[int]]:
    """Return how many characters wide the labels are, the lines of the heads, and their widths.

    First heads are broken, as few as possible, then labels; the whole can still be wider than
    ``width``.
    """
    whole = max((text_width(str(head)) for head in table.rows), default=0)
    texts, inside = [str(head) for head in table.columns], [text_width(each[0]) for each in cells]
    longest = max([_HEAD, *(text_width(text) for text in texts)])
    # still shorter lines only if everything then fits
    for most in (*range(longest, _HEAD // 2, -1), _HEAD):
        heads = [break_lines(text, max(most, below)) for text, below in zip(texts, inside)]
        widths = [max(below, text_width("\n".join(head))) for head, below in zip(heads, inside)]
        left = width - sum(widths) - _GAP * len(widths)
        if left >= whole:
            break
    return int(min(whole, max(left, _LABELS * width, _HEAD))), heads, widths


def _text_block(labels: Sequence[str], room: int, columns: Sequence[list[str]]) -> str:
    """Return some columns as text, without the rows that are empty in all of them."""
    widths = [room, *(text_width(column[0]) for column in columns)]
    lines = []
    for row in zip(labels, *columns):
        if "".join(row[1:]).strip():
            for line in zip_longest(*(text.split("\n") for text in row), fillvalue=""):
                parts = [text + " " * (wide - text_width(text)) for text, wide in zip(line, widths)]
                lines.append((" " * _GAP).join(parts).rstrip())
    return "\n".join(lines)


def _head_rows(table: Table) -> list[list[tuple[str, int]]]:
    """Return the rows of heads, each head with the number of its columns.

    If neighbours share a spanning title, or differ only in their cutoffs, it spans both, and
    the rest is below.
    """
    small = any(head.below for head in table.columns)
    if small:
        names = [str(replace(head, below="")) for head in table.columns]
        below = [h.below or h.usual * (names.count(n) > 1) for h, n in zip(table.columns, names)]
        split = [*zip(names, (str(Head(text)) for text in below))]
    else:
        split = [(str(Head(head.above)), str(replace(head, above=""))) for head in table.columns]
    if not any(above for above, _ in split):
        cutoffs = [split_cutoff(head) for _, head in split]
        split = [(name, f"@{cutoff}") if cutoff else ("", name) for name, cutoff in cutoffs]
    groups = groupby(above for above, _ in split)
    over = [(name, len(list(group))) for name, group in groups]
    if not small and not any(name and count > 1 for name, count in over):
        return [[(str(head), 1) for head in table.columns]]
    return [over, [(below, 1) for _, below in split]]


def _bold(notes: Sequence[str]) -> list[str]:
    return [note.replace(BEST, "Bold") for note in notes]


def text_width(text: str) -> int:
    """Return how many characters wide a text is: Chinese ones are two, combining accents none."""
    widths = []
    for line in text.split("\n"):
        signs = [sign for sign in line if unicodedata.category(sign) not in ("Mn", "Me", "Cf")]
        wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in signs)
        widths.append(len(signs) + wide)
    return max(widths)


def pad(texts: Sequence[str], *, left: bool = False) -> list[str]:
    """Return texts of the same length."""
    most = max((text_width(text) for text in texts), default=0)
    blanks = [" " * (most - text_width(text)) for text in texts]
    return [blank + text if left else text + blank for text, blank in zip(texts, blanks)]


def break_lines(text: str, width: float) -> list[str]:
    """Break a text into lines of this width."""
    lines = [""]
    for piece in _pieces(text, width, _BREAKS):
        if lines[-1] and text_width((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def _pieces(text: str, width: float, breaks: Sequence[str]) -> Iterator[str]:
    """Yield the parts of a text that stay whole."""
    for part in re.split(breaks[0], text):
        if breaks[1:] and text_width(part.rstrip()) > width and not _SCHEME.fullmatch(part):
            yield from _pieces(part, width, breaks[1:])
        else:
            yield part


def _latex_tabular(table: Table) -> list[str]:
    """Return the tabular."""
    columns = _list_columns(table, _LATEX)
    kinds = "".join(_LATEX_COLUMNS[kind] for kind in columns[0]) * len(columns)
    lines = [rf"\begin{{tabular}}{{@{{}}l{kinds}@{{}}}}", r"\toprule"]
    lines += [*_latex_heads(table, len(columns[0])), r"\midrule"]
    for i, label in enumerate(table.rows):
        name = str(replace(label, below=""))
        first, *more = (escape_latex(line) for line in break_lines(name, _LATEX_LABEL))
        if label.below:
            small = [set_symbols(escape_latex(x)) for x in break_lines(label.below, _LATEX_LABEL)]
            first = rf"{first} {{\scriptsize {small[0]}}}"
            more += [rf"\scriptsize {line}" for line in small[1:]]
        cells = [first]
        for parts in columns:
            cells += [texts[i] for texts in parts.values()]
        lines.append(rf"{' & '.join(cells)} \\")
        lines += [rf"\quad {line} \\" for line in more]
    return [*lines, r"\bottomrule", r"\end{tabular}}%"]


def _latex_heads(table: Table, span: int) -> Iterator[str]:
    """Yield the rows of heads."""
    inside = [text_width(column[0]) for column in _text_columns(table)]
    rows = _head_rows(table)
    small = any(head.below for head in table.columns)
    for row in rows:
        line = rules = ""
        at = 0
        for text, count in row:
            size = r"\scriptsize " if small and row is rows[-1] and text else ""
            wide = max(sum(inside[at : at + count]) + _GAP * (count - 1), _LATEX_HEAD)
            wider = span * count > 1
            head = size + _latex_head(text, wide, "c" if wider else "r")
            line += rf" & \multicolumn{{{span * count}}}{{c}}{{{head}}}" if wider else f" & {head}"
            if text and row is not rows[-1] and (count > 1 or not small):
                rules += rf" \cmidrule(l){{{2 + span * at}-{1 + span * (at + count)}}}"
            at += count
        yield rf"{line} \\{rules}"


def _latex_head(text: str, width: int, side: str) -> str:
    first, *others = (set_symbols(escape_latex(line)) for line in break_lines(text, width))
    lines = r" \\ ".join([first, *others])
    return rf"\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}{lines}\end{{tabular}}" if others else first


def _latex_note(note: str, formulas: Mapping[str, str]) -> str:
    words = [_pieces(word, _LATEX_WORD, _BREAKS) for word in note.split()]
    text = " ".join("\u200b".join(pieces) for pieces in words)
    return write_latex(text, formulas).replace("\u200b", r"\allowbreak{}")
