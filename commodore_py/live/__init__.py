"""The rules of the user about objects: found in folders, run in a process of their own."""
