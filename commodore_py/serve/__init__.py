"""The daemon: clusters, edits, compiles and their order over HTTP, and the page for people."""
