import assert from "node:assert/strict";
import { test } from "node:test";
import type { Diff, GameEvent } from "south-seas-client";
import { TILESET, change, evaluated, game, player, wares } from "../testing/games.ts";
import { describedCell, sentences } from "./event_sentences.ts";

const PLACED: GameEvent = { type: "tile_placed", seat: 0, tile: "market", x: 1, y: 0, rotation: 0 };

function said(event: GameEvent, diff: Partial<Diff> = {}): string {
  return sentences({ ...change(2, [], [event]), ...diff }, game(), TILESET).join(" ");
}

test("what somebody else did for a player says who", () => {
  assert.equal(said(PLACED), "Ana places a tile 1 east of the start.");
  assert.equal(said(PLACED, { by: "bot" }), "The computer, for Ana, places a tile 1 east of the start.");
  assert.equal(said(PLACED, { by: "clock" }), "The clock, for Ana, places a tile 1 east of the start.");
  const bot = game({ players: [player(0, "Greedy", { kind: "bot", bot: "greedy" })] });
  assert.deepEqual(sentences({ ...change(2, [], [PLACED]), by: "bot" }, bot, TILESET), [
    "Greedy places a tile 1 east of the start.",
  ]);
});

test("islanders have the names of their work", () => {
  const at = { seat: 0, x: 0, y: 0 };
  assert.match(said({ type: "islander_placed", ...at, segment: 0 }), /^Ana places a banana picker on /);
  assert.equal(
    said({ type: "islander_retrieved", ...at, segment: 2 }),
    "Ana retrieves the fisherman on the start tile.",
  );
  assert.equal(said({ type: "islander_returned", ...at, segment: 1 }), "");
});

test("deliveries name the wares, markets do not", () => {
  const taken = { type: "ship_taken", seat: 1, ship: "any", points: 5, by: "delivery" } as const;
  assert.equal(
    said({ ...taken, paid: wares(1, 5, 0) }),
    "Bo delivers 1 banana and 5 shells to a ship worth 5 points.",
  );
  assert.equal(said({ ...taken, paid: null }), "The market brings Bo a ship worth 5 points.");
  assert.equal(
    said({ type: "ship_revealed", ship: "same" }),
    "A new ship, worth 5 points, asks for 1 fish, 3 of one kind and 1 of another.",
  );
});

test("a pass has a sentence, whoever passes, and after the time-out that it follows from", () => {
  const passed = (move: string, more: Partial<Diff> = {}, events: GameEvent[] = []) =>
    sentences({ ...change(2, [], events), move, ...more }, game(), TILESET).join(" ");
  assert.equal(passed("pass.islander"), "Ana places no islander.");
  assert.equal(passed("pass.deliver", { by: "bot" }), "The computer, for Ana, delivers nothing.");
  const late: GameEvent = { type: "turn_timed_out", seat: 0, policy: "pass" };
  assert.equal(
    passed("pass.deliver", { by: "clock" }, [late, { type: "turn_started", number: 2, seat: 1 }]),
    "Time is up for Ana: the clock plays. The clock, for Ana, delivers nothing.",
  );
});

test("what is taken back is named, and where it was", () => {
  const undone = (id: string) => said({ type: "move_undone", seat: 0, move: id });
  assert.deepEqual(["p0.-1.2", "i2", "r1.0.2", "d.s01.1.2.0", "pass.islander"].map(undone), [
    "Ana takes back the tile 1 north of the start.",
    "Ana takes the islander back.",
    "Ana puts the islander back 1 east of the start.",
    "Ana takes the delivery back.",
    "Ana undoes the last action.",
  ]);
});

test("a resignation is told truly: by the player, or by the clock", () => {
  const resigned: GameEvent = { type: "player_resigned", seat: 1 };
  const over: GameEvent = { type: "game_finished", reason: "resigned", winners: [0] };
  const told = (...events: GameEvent[]) => sentences(change(2, [], events), game(), TILESET).join(" ");
  const end = "The game is over: only one player is left. Ana wins.";
  assert.equal(told(resigned, over), `Bo resigns; all islanders of this player go home. ${end}`);
  assert.equal(
    told({ type: "turn_timed_out", seat: 1, policy: "resign" }, resigned, over),
    `Time is up for Bo, which counts as resigning; all islanders of this player go home. ${end}`,
  );
  assert.equal(said({ type: "turn_timed_out", seat: 1, policy: "bot" }), "Time is up for Bo.");
});

test("evaluations that bring nothing are told of together", () => {
  const end = (...gains: number[]) =>
    sentences(
      change(
        2,
        [],
        gains.map((fish) => evaluated("sea", [0], wares(0, 0, fish), "final")),
      ),
      game(),
      TILESET,
    );
  assert.deepEqual(end(0, 1, 0), [
    "2 features: nothing.",
    "Incomplete sea region on the start tile: Ana receives 1 fish.",
  ]);
  assert.deepEqual(end(0), ["Incomplete sea region on the start tile: nothing for Ana."]);
});

test("the end names the winners", () => {
  const over = { type: "game_finished", reason: "last_ship", scores: [] } as const;
  assert.match(said({ ...over, winners: [1] }), /^The game is over: .* Bo wins\.$/);
  assert.match(said({ ...over, winners: [0, 1] }), /Ana and Bo share the win\.$/);
  assert.match(said({ ...over, winners: [] }), /Nobody wins\.$/);
});

test("a stand-in, a return and an unknown event", () => {
  assert.equal(
    said({ type: "player_replaced", seat: 0, bot: "greedy" }),
    "The bot Skilled stands in for Ana.",
  );
  assert.equal(
    said({ type: "player_replaced", seat: 0, bot: "magpie" }),
    "The bot magpie stands in for Ana.",
  );
  assert.equal(said({ type: "player_returned", seat: 0 }), "Ana is back.");
  assert.equal(said({ type: "storm" } as unknown as GameEvent), "");
});

test("a cell says where it is, what is beside it, and how many ways a tile fits", () => {
  assert.equal(
    describedCell(game(), TILESET, { x: 1, y: 0 }, 2),
    "1 east of the start: bridge to the west; fits 2 ways",
  );
});

test("every event has a sentence, but those that another one tells of", () => {
  const at = { seat: 0, x: 0, y: 0, segment: 0 };
  const evaluated = { type: "feature_evaluated", cells: [], islanders: [], winners: [0] } as const;
  const events: GameEvent[] = [
    { type: "game_created" },
    { type: "player_joined", seat: 0, name: "Ana", color: "red" },
    { type: "player_left", seat: 0, name: "Ana" },
    { type: "game_started", seat: 0 },
    { type: "tile_discarded", tile: "market" },
    PLACED,
    { type: "islander_placed", ...at },
    { type: "islander_retrieved", ...at },
    ...["island", "bridge", "sea"].flatMap((kind): GameEvent[] => [
      { ...evaluated, kind, cause: "completed", wares: wares(0, 0, 0) },
      { ...evaluated, kind, cause: "final", wares: wares(0, 0, 0) },
    ]),
    { ...evaluated, kind: "sea", cause: "boat", wares: wares(0, 0, 1) },
    { type: "fish_covered", ...at, group: 0, fish: 1 },
    { type: "ship_taken", seat: 0, ship: "any", points: 5, by: "market", paid: null },
    { type: "ship_revealed", ship: "any" },
    { type: "turn_timed_out", seat: 0, policy: "pass" },
    { type: "game_paused" },
    { type: "game_resumed" },
    { type: "player_replaced", seat: 0, bot: "greedy" },
    { type: "player_returned", seat: 0 },
    { type: "player_resigned", seat: 0 },
    { type: "move_undone", seat: 0, move: "i0" },
    { type: "rematch_created", game: "g2" },
    { type: "game_finished", reason: "bag_exhausted", winners: [0] },
    { type: "game_aborted" },
  ];
  for (const event of events) assert.notEqual(said(event), "", event.type);
});

test("a finished feature is where an islander comes home from", () => {
  const cells = [
    { x: 0, y: 0 },
    { x: 1, y: 0 },
  ];
  const evaluated = { type: "feature_evaluated", kind: "island", cause: "completed", cells } as const;
  const events: GameEvent[] = [
    { ...evaluated, islanders: [{ seat: 0, count: 1 }], winners: [0], wares: wares(2, 0, 0) },
    { type: "islander_returned", seat: 0, x: 1, y: 0, segment: 0 },
  ];
  const told = (some: GameEvent[]) => sentences(change(2, [], some), game(), TILESET)[0];
  assert.equal(told(events), "Island completed 1 east of the start: Ana receives 2 bananas.");
  assert.equal(told(events.slice(0, 1)), "Island completed on the start tile: Ana receives 2 bananas.");
});
