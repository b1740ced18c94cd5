"""What keeps one client from taking what is there for all: rates, numbers of connections, and who a client is."""
