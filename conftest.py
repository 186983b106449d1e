"""Loads the fixtures that all tests share."""

pytest_plugins = ["tests.plugin"]
