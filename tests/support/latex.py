"""LaTeX set by pdflatex, and the text that can be read in the PDF."""

import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest


def typeset(
    body: str, folder: Path, *, packages: str, width: float = 7, columns: int = 1, fonts: str = ""
) -> str:
    """Set the body on pages this many inches wide, with one column or two; what pdflatex says.

    The test is skipped where a program or a package is missing.
    """
    for program in ("pdflatex", "kpsewhich", "pdftotext"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    for package in filter(None, f"{packages},{fonts}".split(",")):
        if subprocess.run(["kpsewhich", f"{package}.sty"], capture_output=True).returncode:
            pytest.skip(f"LaTeX's package {package} is not installed")
    kind = "twocolumn" if columns == 2 else ""
    names = rf"\usepackage[T1]{{fontenc}}\usepackage{{{fonts}}}" if fonts else ""
    source = (
        rf"\documentclass[{kind}]{{article}}\usepackage{{{packages}}}{names}"
        rf"\usepackage[textwidth={width}in,textheight=40in,paperwidth={width + 2}in,"
        rf"paperheight=45in]{{geometry}}\hfuzz=0.5pt\pagestyle{{empty}}\begin{{document}}{body}\end{{document}}"
    )
    (folder / "t.tex").write_text(source, encoding="utf-8")
    run = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"],
        cwd=folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-2000:]
    return run.stdout


def read_pdf(body: str, folder: Path, **options) -> list[str]:
    """Set the body in Times, whose signs have names; the lines of the PDF from top to bottom.

    Ligatures and curly quotes become plain letters.
    """
    typeset(body, folder, fonts="mathptmx", **options)
    command = ["pdftotext", "-layout", "-enc", "UTF-8", "t.pdf", "-"]
    run = subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=60)
    text = unicodedata.normalize("NFKC", run.stdout.decode("utf-8")).replace("’", "'")
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]
