"""The core of a chat bot: games in channels, moves by buttons, turn notifications. It knows no chat's library.

A chat adds what it receives and sends: `examples/discord_bot`, `examples/telegram_bot.py`, `examples/text_bot.py`.
"""
