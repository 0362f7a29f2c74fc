"""One module for each door: what is fed to it, and what is always tried."""
