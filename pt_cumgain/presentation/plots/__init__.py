"""Pictures (extra ``plot``), by subject; :mod:`pt_cumgain.plots` offers them to users."""
