"""The connections of an instance: their clients, their number, what is read from them and what waits to be sent."""
