"""Games for programs that learn: many at once in compiled code, and in the forms that other libraries expect."""
