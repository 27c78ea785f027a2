"""The machine that the package runs on: files, warnings, optional packages, the terminal."""
