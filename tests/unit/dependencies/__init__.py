"""Tests of the stage that fetches."""
