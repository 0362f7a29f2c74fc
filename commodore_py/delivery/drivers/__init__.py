"""A driver renders a plan as files for one tool that deploys: a table of kinds (pure)."""
