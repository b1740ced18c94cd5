"""Reading a game: GAME, scores, tiles left. Source: api.md, "The game" and "Asking without moving"."""

from aiohttp import web

from schemas.game import GameView
from schemas.scores import Scores, TilesLeft
from service.games.context import Table, open_table
from service.games.port import Loaded
from service.games.read import game_view, left_in_bag, read, read_table, scores
from service.web.answers import answer, etag, not_modified
from service.web.asked import bearer, path_id
from service.web.keys import CONTEXT
from service.web.routing import GAME_ID, Reply, route
