"""Lock files by themselves: made, updated, compared, checked, exported."""
