"""The board in text."""

from rich.style import Style

from examples.terminal.board import Figure, Scene, TileView, Viewport, draw_board
from examples.terminal.tile_picture import LARGE, SMALL
from tests.examples.tileset_fixture import ATOLL, MARKET, START, plain

RED = Style(color="red")


def scene(*row: TileView) -> Scene:
    return Scene(tiles={(x, 0): laid for x, laid in enumerate(row)}, choices={}, open_cells=set(), focus=(0, 0))


def lines(shown: Scene, view: Viewport = Viewport(LARGE), width: int = 22, height: int = 6) -> list[str]:  # noqa: B008
    return [line.rstrip() for line in plain(draw_board(shown, view, width, height))]


def test_tiles_join_and_axes_show_coordinates() -> None:
    assert lines(scene(TileView(START), TileView(MARKET))) == [
        "        0        1",
        "    ~~~~><>~~~~~~~~~~~",
        "    :::~~~~~~~~~~~~~~~",
        "  0 :):::=@=====[M]===",
        "    :::~~~~~~~~~~=~~~~",
        "    ~~~~~~~~~~~~~=~~~~",
    ]


def test_fishermen_lie_and_other_islanders_stand() -> None:
    figures = (Figure(0, "A", RED), Figure(1, "B", RED), Figure(3, "C", RED))
    assert lines(scene(TileView(START, figures=figures), TileView(MARKET, figures=(Figure(0, "D", RED),)))) == [
        "        0        1",
        "    ~~~~><>~~~~~~~~~~~",
        "    :::~~~~~~~~~~~~~~~",
        "  0 A):::=@B====[D]===",
        "    :::~~~~~~~~~~=~~~~",
        "    ~~~~C-<~~~~~~=~~~~",
    ]


def test_fish_under_a_boat_are_covered() -> None:
    atoll = lines(scene(TileView(ATOLL, covered={(1, 0)})))
    assert "(x)" in "".join(atoll)
    assert "><><>" not in "".join(atoll)
    assert "".join(atoll).count("><>") == 1


def test_the_corners_of_the_last_tile_hide_no_symbol() -> None:
    framed = TileView(START, rotation=3, is_framed=True)
    assert lines(scene(framed), Viewport(SMALL), 9, 4) == ["      0", "    ┌~@~┐", "  0 >~:~~", "    └:):┘"]


def test_empty_cells_show_keys() -> None:
    shown = scene(TileView(START))._replace(choices={(1, 0): "12"}, open_cells={(1, 0), (0, 1)})
    assert lines(shown, Viewport(SMALL), 14, 7) == [
        "      0    1",
        "    ~~>~~",
        "  0 :):=@ 12",
        "    ~~~~~",
        "",
        "  1",
        "",
    ]


def test_a_placement_has_a_preview() -> None:
    shown = scene(TileView(START))._replace(preview=((1, 0), TileView(MARKET, is_framed=True)), open_cells={(1, 0)})
    assert lines(shown, Viewport(SMALL), 14, 4) == [
        "      0    1",
        "    ~~>~~┌~~~┐",
        "  0 :):=@==M==",
        "    ~~~~~└~=~┘",
    ]


def test_a_board_that_fits_is_centred() -> None:
    assert lines(scene(TileView(START)), Viewport(), 23, 8)[2:7] == [
        "         ~~~~><>~~",
        "         :::~~~~~~",
        "  0      :):::=@==",
        "         :::~~~~~~",
        "         ~~~~~~~~~",
    ]


def test_a_larger_board_is_centred_on_the_last_tile_and_scrolls() -> None:
    shown = scene(*[TileView(START)] * 9)._replace(focus=(4, 0))
    assert lines(shown, Viewport(SMALL), 19, 4)[0] == "      3    4    5"
    assert lines(shown, Viewport(SMALL, across=2), 19, 4)[0] == "      5    6    7"
    assert lines(shown._replace(focus=(8, 0)), Viewport(SMALL), 19, 4)[0] == "      6    7    8"
