"""Pictures over HTTP: query parameters, responses, and the renderer with its worker process."""
