"""Results as text, JSON, Markdown and tables."""
