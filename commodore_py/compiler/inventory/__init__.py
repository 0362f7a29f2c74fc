"""The inventory as component code sees it."""
