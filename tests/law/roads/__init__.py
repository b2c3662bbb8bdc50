"""Random whole invocations of the command line, each held against another road to the same answer. See ../cross_roads.py."""
