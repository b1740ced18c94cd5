"""Opponents that the service plays itself, each on the engine's public interface alone."""
