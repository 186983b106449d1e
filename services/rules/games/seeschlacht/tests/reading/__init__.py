"""A second reading of the SPEC, literal and slow, in its own JSON: what the rules are compared with.

It shares no code with the rules and reads the chart's file by itself.
"""
