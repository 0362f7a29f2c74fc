"""One template's changes proposed to many repositories."""
