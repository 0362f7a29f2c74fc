"""Commands of authors: `commodore component` and `commodore package`."""
