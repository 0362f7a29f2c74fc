"""Dependencies from Git: bare clones, worktrees, checkouts."""
