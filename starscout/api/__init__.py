"""What `import starscout` offers, one file per function. Results are frozen values that print and draw themselves."""
