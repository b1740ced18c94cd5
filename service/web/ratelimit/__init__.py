"""Rate and concurrency limits of clients, by token and by address."""
