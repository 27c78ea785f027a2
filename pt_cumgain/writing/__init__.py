"""Words and layout: names of measures, phrases, and tables in five formats."""
