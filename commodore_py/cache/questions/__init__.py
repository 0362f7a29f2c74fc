"""What work asks about its inputs: one type per kind of question, and one table of kinds."""
