"""Credentials for the API: logins, tokens and where they are stored."""
