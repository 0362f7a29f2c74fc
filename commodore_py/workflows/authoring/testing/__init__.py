"""Test cases of components and packages."""
