"""The services of the platform; each is a process of its own."""
