"""A terminal client: people at one terminal or at several, and bots, play a whole game."""
