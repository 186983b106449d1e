"""Processes killed and stores broken under load; after each: nothing acknowledged is lost, nothing is there twice."""
