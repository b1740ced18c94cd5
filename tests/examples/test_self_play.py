"""The PettingZoo environment of `examples/self_play.py`: PettingZoo's own tests, and the engine's results."""

import re
import warnings
from importlib import import_module
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from schemas.actions import Deliver, Pass, PlaceIslander, PlaceTile, RetrieveIslander, TakeShip
from schemas.vocabulary import COLORS, Edition
from service.engine import Player, apply_action, build_view, is_finished, legal_moves
from service.games.bots.greedy import BOT as GREEDY_BOT
from service.games.bots.random import BOT as RANDOM_BOT
from service.games.bots.registry import run_bot
from service.games.tilesets import first_seat
from south_seas import Client
from south_seas.models import CreateGame, SeatRequest
from tests.docs.blocks import DOCS, blocks
from tests.engine.lockstep import start_game
from tests.games.bots.fake_bots import LAGOON, play_to_end
from tests.games.bots.fake_bots import start_game as start_bot_game
from tests.tools import PETTINGZOO, require

EXPECTED_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros (no legal actions).",
    "Environment has not defined a render() method",
}
"""PettingZoo's own environments with an action mask cause them too: its test knows those by name."""

PLAYERS = (2, 3, 4, 5)


@pytest.fixture(scope="module")
def self_play() -> Any:
    """Import the example."""
    require(PETTINGZOO)
    return import_module("examples.self_play")


def choose(environment: Any, chance: Random) -> int:
    """Choose a legal action at random."""
    observation, *_ = environment.last()
    return chance.choice([int(number) for number in observation["action_mask"].nonzero()[0]])


def middle_of_game(self_play: Any, players: int, seed: int, decisions: int = 100) -> Any:
    """Return an environment after some decisions."""
    environment, chance = self_play.env(players=players), Random(seed)
    environment.reset(seed=seed)
    for _ in range(decisions):
        environment.step(choose(environment, chance))
    return environment


@pytest.mark.parametrize("players", PLAYERS)
def test_pettingzoo_s_api_test_passes(self_play: Any, players: int) -> None:
    api_test = import_module("pettingzoo.test").api_test
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(self_play.env(players=players), num_cycles=400)
    assert {str(warning.message) for warning in caught} <= EXPECTED_WARNINGS


@pytest.mark.parametrize("players", PLAYERS)
def test_pettingzoo_s_seed_test_passes(self_play: Any, players: int) -> None:
    seed_test = import_module("pettingzoo.test").seed_test
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation not an int or an Numpy array")
        seed_test(lambda: self_play.env(players=players), num_cycles=50)


@pytest.mark.parametrize("edition", ("international", "german"))
@pytest.mark.parametrize("players", PLAYERS)
def test_a_game_and_its_result_are_the_engine_s(self_play: Any, players: int, edition: Edition) -> None:
    """The engine alone plays the same actions from the same seed: each position and the result are equal."""
    seed, chance = 9 * players, Random(players)
    environment = self_play.env(players=players, edition=edition)
    environment.reset(seed=seed)
    engine_game, _ = start_game(
        LAGOON,
        [Player(f"player_{seat}", color, "human") for seat, color in enumerate(COLORS[:players])],
        seed=str(seed),
        first_seat=first_seat(str(seed), players),
        game_id="self-play",
        edition=edition,
        commitment=b"",
        created_at="",
    )
    while not is_finished(engine_game):
        assert environment.unwrapped.game == engine_game
        assert environment.agent_selection == f"player_{engine_game.decider}"
        legal = environment.unwrapped.encoding.legal_actions(engine_game)
        assert [*legal.values()] == legal_moves(LAGOON, engine_game)
        number = choose(environment, chance)
        environment.step(number)
        apply_action(LAGOON, engine_game, legal[number])
    result = build_view(LAGOON, engine_game).result
    assert result is not None
    assert [environment.infos[agent]["points"] for agent in environment.possible_agents] == [
        score.total for score in result.scores
    ]
    rewards = [environment.rewards[agent] for agent in environment.possible_agents]
    assert {seat for seat, reward in enumerate(rewards) if reward > 0} == {*result.winners}
    assert sum(rewards) == pytest.approx(0)


async def test_a_seed_starts_the_service_s_game(self_play: Any, client: Client) -> None:
    for seed, players in enumerate(PLAYERS):
        names = [SeatRequest(name=f"player_{seat}") for seat in range(players)]
        created = await client.create(CreateGame(players=names, seed=str(seed)))
        environment = self_play.env(players=players)
        environment.reset(seed=seed)
        view = build_view(LAGOON, environment.unwrapped.game)
        assert view.turn is not None
        assert created.game.turn is not None
        assert (created.game.display, created.game.bag) == (view.display, view.bag)
        assert (created.game.turn.seat, created.game.turn.tile) == (view.turn.seat, view.turn.tile)


def test_every_kind_of_decision_occurs(self_play: Any) -> None:
    """R4.4, R5.10 and R6.1 too, and decisions in another player's turn; random players seldom complete a market."""
    wanted = {PlaceTile, PlaceIslander, RetrieveIslander, TakeShip, Deliver, Pass}
    seen: set[object] = set()
    environment = self_play.env(players=4)
    for seed in range(1, 10):
        environment.reset(seed=seed)
        while not any(environment.terminations.values()):
            truth = environment.unwrapped.game
            action = run_bot(GREEDY_BOT, LAGOON, truth)
            seen |= {type(action), truth.seat != truth.decider}
            legal = environment.unwrapped.encoding.legal_actions(truth)
            environment.step(next(number for number, move in legal.items() if move == action))
        if seen >= {*wanted, True}:
            return
    pytest.fail(f"only {seen}")


@pytest.mark.parametrize("players", PLAYERS)
def test_an_observation_has_no_hidden_information(self_play: Any, players: int) -> None:
    environment = middle_of_game(self_play, players, seed=3)
    before = [environment.observe(agent)["observation"] for agent in environment.agents]
    truth = environment.unwrapped.game
    assert len({*truth.bag}) > 1
    assert len({*truth.ship_pile}) > 1
    truth.bag.reverse()
    truth.ship_pile.reverse()
    truth.seed = "another"
    after = [environment.observe(agent)["observation"] for agent in environment.agents]
    assert all((old == new).all() for old, new in zip(before, after, strict=True))
    truth.bag.pop()
    assert (environment.observe(environment.agents[0])["observation"] != before[0]).any()


def test_an_observation_does_not_depend_on_what_was_observed_before(self_play: Any) -> None:
    """What is the same in the last observation is not made again: the next may be of the same game, or of another."""
    games = [middle_of_game(self_play, 3, seed=seed, decisions=30 * seed).unwrapped.game for seed in (1, 2, 3)]
    encoding = self_play.Encoding(LAGOON)
    for game in (*games, games[1], games[1], games[0]):
        for seat in range(3):
            assert (encoding.observe(game, seat) == self_play.Encoding(LAGOON).observe(game, seat)).all()


def test_an_observation_starts_with_its_own_player(self_play: Any) -> None:
    environment = middle_of_game(self_play, 3, seed=5)
    split = environment.unwrapped.encoding.split
    tables = [split(environment.observe(agent)["observation"]) for agent in environment.possible_agents]
    for own, following in pairwise(tables):
        assert (own["players"][1] == following["players"][0]).all()
        assert (own["features"][..., 3] == following["features"][..., 2]).all()
        assert (own["bag"] == following["bag"]).all()
    view = build_view(LAGOON, environment.unwrapped.game)
    for player, table in zip(view.players, tables, strict=True):
        wares = (player.wares.bananas, player.wares.shells, player.wares.fish)
        assert (*table["players"][0][:6],) == (1, player.supply, *wares, player.points)
        assert (table["players"][3:] == 0).all()
        assert table["islanders"].any(axis=1).sum() == 4 - player.supply


def test_rows_describe_the_board(self_play: Any) -> None:
    """After the placement of a tile, its segments and the cells around it are as the view has them."""
    environment = middle_of_game(self_play, 2, seed=8, decisions=0)
    chance = Random(2)
    while environment.unwrapped.game.phase != "islander":
        environment.step(choose(environment, chance))
    truth = environment.unwrapped.game
    tables = environment.unwrapped.encoding.split(environment.observe(environment.agent_selection)["observation"])
    view = build_view(LAGOON, truth)
    placed = {(int(x), int(y)) for used, x, y in tables["tiles"] if used}
    assert {f"{x},{y}" for x, y in placed} == {*view.board}
    steps = ((0, -1), (1, 0), (0, 1), (-1, 0))
    for (used, x, y), sides in zip(tables["tiles"], tables["sides"], strict=True):
        empty = [bool(used) and (x + step_x, y + step_y) not in placed for step_x, step_y in steps]
        assert [*sides[:, 0]] == empty
        assert (sides[:, 1:].sum(axis=1) == used).all()
    kinds = ["island", "bridge", "sea", "market"]
    segments = next(tile for tile in LAGOON.tileset.tiles if view.turn and tile.id == view.turn.tile).segments
    rows = tables["segments"][: len(segments)]
    assert [kinds[[*row[:4]].index(1)] for row in rows] == [type(segment).__name__.lower() for segment in segments]
    assert (view.bag, view.ship_pile) == (tables["bag"][:, 1].sum(), tables["ships"][:, 1].sum())


def test_an_illegal_action_changes_nothing(self_play: Any) -> None:
    environment = middle_of_game(self_play, 2, seed=4)
    observation, *_ = environment.last()
    mask = observation["action_mask"]
    legal, illegal = (int((mask == allowed).nonzero()[0][0]) for allowed in (1, 0))
    before = build_view(LAGOON, environment.unwrapped.game)
    for action in (illegal, -1, len(mask), 10**30, legal + 0.5, float(legal), str(legal), None, [legal]):
        with pytest.raises(ValueError, match="is not legal here"):
            environment.step(action)
    assert build_view(LAGOON, environment.unwrapped.game) == before
    waiting = next(agent for agent in environment.agents if agent != environment.agent_selection)
    assert not environment.observe(waiting)["action_mask"].any()
    environment.step(mask.nonzero()[0][0])  # a number of NumPy
    assert build_view(LAGOON, environment.unwrapped.game) != before


def test_tied_winners_share_the_reward(self_play: Any) -> None:
    environment = middle_of_game(self_play, 4, seed=6, decisions=0)
    env = environment.unwrapped
    env.game.players[1].wares = [3, 0, 0]
    env.game.players[2].wares = [0, 3, 2]
    env._finish()
    assert [*env.rewards.values()] == [pytest.approx(reward) for reward in (-1 / 3, 1 / 3, 1 / 3, -1 / 3)]


def test_the_number_of_players_is_checked(self_play: Any) -> None:
    for players in (1, 6):
        with pytest.raises(ValueError, match="2 to 5"):
            self_play.env(players=players)


def test_games_without_a_seed_follow_from_the_last_one(self_play: Any) -> None:
    sequences = []
    for _ in range(2):
        environment = self_play.env()
        environment.reset(seed=9)
        environment.reset()
        first = environment.unwrapped.game.seed
        environment.reset()
        sequences.append((first, environment.unwrapped.game.seed))
    assert (sequences[0], len({"9", *sequences[0]})) == (sequences[1], 3)


def test_the_program_plays_random_games(self_play: Any, capsys: pytest.CaptureFixture[str]) -> None:
    self_play.main(3, 2)
    assert re.fullmatch(r"(player_\d: \d+\.\d points\n){3}", capsys.readouterr().out)


def test_the_page_describes_the_spaces(self_play: Any) -> None:
    page = (DOCS / "self-play.md").read_text(encoding="utf-8")
    encoding = self_play.SouthSeasEnv().encoding
    rows = re.findall(r"^\| `(\w+)` \| ([\d, ]+) \|", page, re.MULTILINE)
    assert {name: tuple(map(int, shape.split(","))) for name, shape in rows} == encoding.shapes
    assert f"vector of {encoding.length:,} `int16`" in page
    assert f"the shape {encoding.edges.shape}" in page
    assert f"`Discrete({encoding.actions})`" in page
    assert f"| {encoding.actions - 2}, {encoding.actions - 1} | Place no islander; deliver nothing. |" in page


def test_the_page_s_programs_run(self_play: Any) -> None:
    del self_play
    loop, bot = [block.code for block in blocks("self-play") if block.language == "python"]
    exec(compile(loop, "loop", "exec"), {})  # noqa: S102  the page's own code
    names: dict[str, Any] = {}
    exec(compile(bot, "bot", "exec"), names)  # noqa: S102
    play_to_end(start_bot_game("policy"), [names["BOT"], RANDOM_BOT])
