"""Components and packages by themselves."""
