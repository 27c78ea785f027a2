"""Glue code for the frameworks that this package plugs into, one module for each."""
