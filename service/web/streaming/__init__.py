"""Event streams, and what they share with WebSockets: registry, encoding, resuming, and slow consumers."""
