"""Reading one system: its curves, its gaps to the ideal, its levels and topics."""
