"""The command line: one module per command. Heavy modules are imported only when a command runs."""
