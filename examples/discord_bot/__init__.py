"""A Discord bot for South Seas: tables in a channel, moves by buttons and menus, the board as a picture."""
