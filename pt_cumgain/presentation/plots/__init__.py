"""Pictures (extra ``plot``), by what they show; :mod:`pt_cumgain.plots` offers them to users."""
