"""Pictures of tiles, ships and boards, as SVG and as text, without HTTP or storage. Source: R8.5."""
