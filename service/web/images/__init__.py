"""Pictures over HTTP: the routes, what may be asked, and a process of its own in which pictures are drawn."""
