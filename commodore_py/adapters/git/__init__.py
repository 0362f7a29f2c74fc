"""Git: its program, and the files of repositories that Git documents."""
