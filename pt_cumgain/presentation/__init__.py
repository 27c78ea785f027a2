"""What goes into a paper: pictures and tables."""

from pt_cumgain.presentation import plots as plots
