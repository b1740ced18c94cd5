"""A server of the Model Context Protocol: an assistant plays through it."""
