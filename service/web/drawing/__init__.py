"""Pictures of tiles, ships and boards: pure drawing, which knows neither HTTP nor the store. Source: R8.5."""
