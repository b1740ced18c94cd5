"""Errors of starting an embedded Redis server. The message is one sentence for whoever starts the service."""

__all__ = ["EmbeddedServerError", "ServerProgramNotFound"]


class EmbeddedServerError(Exception):
    """The server cannot be started, or its directory cannot be used."""


class ServerProgramNotFound(EmbeddedServerError):
    """No program on this machine can be started as the server."""
