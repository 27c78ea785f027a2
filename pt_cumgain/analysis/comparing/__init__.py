"""Comparing systems: pairs, all systems, rankings of systems."""
