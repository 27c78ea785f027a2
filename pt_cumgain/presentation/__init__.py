"""Figures, tables and sentences for papers, and the interactive page."""
