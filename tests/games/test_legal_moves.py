"""Menus of legal moves: the cells, and the moves of a cell or without one, reach all that are not alike."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import get_args

import pytest
from msgspec.structs import astuple, replace

from schemas.actions import Move, PlaceTile
from schemas.commands import CellChoice, LegalMovesQuery
from schemas.vocabulary import Edition, Phase
from service.engine import Game, apply_action, legal_moves, move_effects, move_feature, move_id, resign
from service.engine.delivery import affordable_payments
from service.games.bots import greedy
from service.games.bots.registry import run_bot
from service.games.legal_moves import is_repeated, list_legal_moves
from service.i18n import describe_cell, get_translator
from tests.engine.lockstep import start_game
from tests.games.game_logs import LAGOON
from tests.polling import rounds

INDEX = LAGOON.index
EDITIONS: tuple[Edition, ...] = get_args(Edition)
PHASES = {*get_args(Phase)}
MENU_ROWS = 25
LISTED = ("PlaceTile", "PlaceIslander", "TakeShip", "Deliver", "RetrieveIslander", "Pass")
RESIGNATION_CHANCE = 0.002
SENSIBLE_SHARE = 0.8


def menu_rows(game: Game, wanted: LegalMovesQuery) -> Iterator[CellChoice | Move]:
    """Yield the rows of a menu, page by page as a chat bot shows them."""
    wanted = replace(wanted, limit=MENU_ROWS)
    for _ in rounds():
        page = list_legal_moves(INDEX, game, wanted)
        rows = [*(page.cells or ()), *page.moves]
        assert len(rows) == MENU_ROWS or page.next_cursor is None
        yield from rows
        assert rows or wanted.cursor is None, "no page behind the first is empty"
        if page.next_cursor is None:
            return
        wanted = replace(wanted, cursor=page.next_cursor)


def reachable_moves(game: Game) -> list[str]:
    """Return the ids of the moves that the menus lead to."""
    moves = []
    for row in menu_rows(game, LegalMovesQuery(stage="cell")):
        rows = [row] if isinstance(row, Move) else menu_rows(game, LegalMovesQuery(x=row.x, y=row.y))
        moves += [move.id for move in rows if isinstance(move, Move)]
    return moves


def play_by_menus(seed: str, players: int, edition: Edition) -> set[Phase]:
    """Play a game to its end, mostly well, since random players seldom get a ship; check the menus at each decision.

    Return the phases.
    """
    rng = Random(seed)
    game, _ = start_game(INDEX, players, seed=seed, edition=edition)
    phases: set[Phase] = set()
    while game.status == "active":
        phases.add(game.phase)
        actions = legal_moves(INDEX, game)
        distinct = [action for action in actions if not is_repeated(INDEX, game, action)]
        assert sorted(reachable_moves(game)) == sorted(map(move_id, distinct))
        if rng.random() < RESIGNATION_CHANCE:
            resign(INDEX, game, rng.choice([seat for seat in range(players) if not game.players[seat].resigned]))
        else:
            well = rng.random() < SENSIBLE_SHARE
            apply_action(INDEX, game, run_bot(greedy.BOT, INDEX, game) if well else rng.choice(actions))
    assert reachable_moves(game) == []
    return phases


def test_menus_reach_every_legal_move_in_every_phase_and_edition() -> None:
    for edition in EDITIONS:
        assert play_by_menus("menu-5", 2, edition) == PHASES


def test_a_page_says_what_its_moves_are_worth_only_if_asked() -> None:
    """Cells, other pages and the rest of the response are the same; the words are in the language of the list."""
    game, _ = start_game(INDEX, 2, seed="menu-5")
    rng = Random(3)
    worths = set[str]()
    while game.status == "active":
        plain = list_legal_moves(INDEX, game, LegalMovesQuery(limit=6))
        assert {(move.effects, move.if_passed, move.worth) for move in plain.moves} == {(None, None, None)}
        assert plain.ships is None
        appraised = list_legal_moves(INDEX, game, LegalMovesQuery(limit=6, effects=True), "fr")
        assert [(move.id, move.action) for move in appraised.moves] == [(move.id, move.action) for move in plain.moves]
        for move in appraised.moves:
            assert (move.effects, move.if_passed) == move_effects(INDEX, game, move.action)
            assert move.feature == move_feature(INDEX, game, move.action)
            worths.add(move.worth or "")
        offered = [(offer.ship, any(astuple(offer.missing))) for offer in appraised.ships or ()]
        player = game.players[game.decider]
        assert offered == [
            (INDEX.ship_ids[ship], not affordable_payments(INDEX, player, ship)) for ship in game.display
        ]
        apply_action(INDEX, game, rng.choice(legal_moves(INDEX, game)))
    assert any(worth.startswith("Valeur d") for worth in worths)
    assert list_legal_moves(INDEX, game, LegalMovesQuery(effects=True)).ships is None


@pytest.mark.parametrize(("tile", "rotations"), (("atoll", 1), ("market-2", 2), ("start", 4)))
def test_equal_placements_are_legal_but_not_in_menus(tile: str, rotations: int) -> None:
    """All are listed and accepted; cells count and list one of each, and `repeated` names the others."""
    game, _ = start_game(INDEX, 2, seed="alike")
    game.tile = INDEX.tile_numbers[tile]
    listed = list_legal_moves(INDEX, game)
    assert {move.id for move in listed.moves} == {move_id(action) for action in legal_moves(INDEX, game)}
    placements = {move.id: move.action for move in listed.moves if isinstance(move.action, PlaceTile)}
    assert [name for name, action in placements.items() if action.rotation >= rotations] == listed.repeated
    assert bool(listed.repeated) == (rotations < 4)
    shown = Counter((action.x, action.y) for name, action in placements.items() if name not in listed.repeated)
    cells = list_legal_moves(INDEX, game, LegalMovesQuery(stage="cell")).cells or []
    assert {(cell.x, cell.y): cell.text for cell in cells} == {
        cell: describe_cell(get_translator("en"), *cell, number) for cell, number in shown.items()
    }
    for cell, number in shown.items():
        here = list_legal_moves(INDEX, game, LegalMovesQuery(x=cell[0], y=cell[1]))
        assert (len(here.moves), here.repeated) == (number, [])


def test_passing_is_listed_last_after_placements_and_retrievals() -> None:
    """Numbers of one kind are together, whatever the cells."""
    game, _ = start_game(INDEX, 2, seed="order", edition="german")
    kinds: set[str] = set()
    rng = Random(1)
    while game.status == "active":
        types = [type(move.action).__name__ for move in list_legal_moves(INDEX, game).moves]
        assert types == sorted(types, key=LISTED.index)
        kinds |= {"+".join(dict.fromkeys(types))}
        apply_action(INDEX, game, rng.choice(legal_moves(INDEX, game)))
    assert "PlaceIslander+RetrieveIslander+Pass" in kinds
