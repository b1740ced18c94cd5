"""The connections of an instance: clients and their addresses, numbers, timeouts, and send buffers."""
