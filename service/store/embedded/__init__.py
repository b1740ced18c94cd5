"""A Redis server that the service starts for itself if it is given none."""
