"""What several commands share: options, output, running, tables."""
