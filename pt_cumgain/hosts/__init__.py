"""The glue to the systems that this package plugs into, each in a module named after it."""
