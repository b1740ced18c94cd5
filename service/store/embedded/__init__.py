"""A Redis server that the service starts for itself when nobody names one."""
