"""The environment of the package: files, warnings, optional packages, the terminal."""
