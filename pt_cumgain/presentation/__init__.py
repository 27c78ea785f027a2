"""What goes into a paper: pictures and tables."""
