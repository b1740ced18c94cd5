"""The layout of a tile: the shape of each segment, and where its islander, wares, boats and palms go."""
