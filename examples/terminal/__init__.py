"""A terminal client for people at one or several terminals, and bots."""
