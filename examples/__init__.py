"""Programs that use the service as anybody could: over HTTP and its WebSocket, knowing only the contract."""
