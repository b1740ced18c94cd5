"""A Discord bot for South Seas: games in channels, moves by buttons and menus, the board as a picture."""
