"""Hidden information: the order of bag and ship pile, the seed before the end, and tokens."""

from random import Random

from redis.asyncio import Redis

from service.engine import Game
from tests.snapshots import change_game
from tests.web.app_server import Client
from tests.web.http_game import HTTPGame, create_game

READS = (
    "",
    "/legal-moves",
    "/legal-moves?stage=cell",
    "/legal-moves?effects=1",
    "/diffs?limit=1000",
    "/scores",
    "/features",
    "/tiles",
)


TELLING_NOTHING = {"date", "x-request-id", "ratelimit"}
"""Headers that differ with every answer."""


async def read_all(game: HTTPGame) -> list[bytes]:
    """Read every resource of a game, with every token, without the headers that always differ."""
    answers = [await (await game.client.get("/v1/games")).read()]
    for token in (game.owner_token, game.spectator_token, *game.seat_tokens.values()):
        for path in READS:
            response = await game.get(path, token)
            assert response.status == 200
            headers = [(name, value) for name, value in response.headers.items() if name.lower() not in TELLING_NOTHING]
            answers.append(repr(headers).encode() + await response.read())
    return answers


async def test_no_response_depends_on_the_hidden_order(client: Client, redis: Redis) -> None:
    http_game = await create_game(client, seed="tides")
    await http_game.play_randomly(Random(8), versions=30)
    before = await read_all(http_game)

    def reorder(game: Game) -> None:
        assert len(game.bag) > 10
        assert len(game.ship_pile) > 2
        game.bag.reverse()
        game.ship_pile.reverse()
        game.seed = "quite-another"

    await change_game(redis, http_game.id, reorder)
    assert await read_all(http_game) == before


async def test_the_seed_is_revealed_only_after_the_game(client: Client) -> None:
    seed = "nobody-knows-this"
    game = await create_game(client, [{"name": "Ana"}, {"name": "Bo"}, {"bot": "random"}], seed=seed)
    await game.play_randomly(Random(9), versions=40)
    answers = [*(await read_all(game)), repr(game.created).encode(), repr(await game.act_successfully()).encode()]
    assert [answer for answer in answers if seed.encode() in answer] == []
    await game.delete()
    assert (await game.get_json())["deck"]["seed"] == seed
    last = (await game.get_json("/diffs?limit=1000"))["diffs"][-1]
    assert seed in repr(last["patch"])


async def test_no_token_is_returned_twice(client: Client) -> None:
    game = await create_game(client, [{"name": "Ana"}, {"open": True}])
    joined = await (await game.join()).json()
    acted = await game.act(await game.first_move(), joined["token"])
    answers = [*(await read_all(game)), await acted.read()]
    for token in (game.owner_token, game.spectator_token, joined["token"], *game.seat_tokens.values()):
        assert len(token) == 43
        assert [answer for answer in answers if token.encode() in answer] == []
