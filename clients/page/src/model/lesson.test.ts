import assert from "node:assert/strict";
import { test } from "node:test";
import type { Diff, Game, GameEvent, Move } from "south-seas-client";
import { text } from "../messages/index.ts";
import {
  TILESET,
  change,
  deliver,
  evaluated,
  game,
  move,
  place,
  player,
  turn,
  wares,
} from "../testing/games.ts";
import { NOTHING_CHOSEN, type LessonState, hintFor, toldAfter } from "./lesson.ts";

const SEND: Move = {
  ...move("i0", { type: "place_islander", segment: 0 }),
  feature: { kind: "bridge", cells: [], islanders: [], wares: wares(0, 1, 0), open: 1 },
};
const PASS = move("pass", { type: "pass", phase: "islander" });

function state(more: Partial<LessonState> = {}): LessonState {
  const chosen = { chosen: NOTHING_CHOSEN, chosenMove: null };
  const moves = [place(1, 0, 0), place(1, 0, 2)];
  return { game: game(), steps: [], tileset: TILESET, seat: 0, moves, ...chosen, told: [], ...more };
}

/** The topic of the hint, and what it speaks of. */
function hinted(more: Partial<LessonState> = {}): string {
  const hint = hintFor(state(more));
  return hint ? `${hint.topic}: ${hint.about}` : "";
}

function step(events: GameEvent[], more: Partial<Diff> = {}): LessonState["steps"][number] {
  return { game: game(), diff: { ...change(2, [], events), ...more } };
}

function phase(name: string, more: Partial<Game> = {}): Game {
  return game({ turn: turn({ phase: name, placed: { x: 0, y: 0 } }), ...more });
}

test("the first tile: where it goes, how it is turned, and that it is placed", () => {
  assert.equal(hinted(), "place: cells");
  assert.equal(hintFor(state()).move?.id, "p1.0.2", "nobody has turned a tile yet");
  assert.equal(hintFor(state({ told: ["turn"] })).move?.id, "p1.0.0");
  const cell = { x: 1, y: 0 };
  const lying = { ...NOTHING_CHOSEN, cell };
  const turned = hintFor(state({ chosen: lying }));
  assert.equal(turned?.words, text.lesson.turn(1, text.actionBar.rotate));
  assert.equal(turned?.about, "turn");
  const chosen = { ...lying, rotation: 2 };
  assert.equal(hinted({ chosen, told: ["confirm"] }), "confirm: confirm", "it is what is due each time");
  assert.equal(
    hinted({ chosen: { ...NOTHING_CHOSEN, cell: { x: 2, y: 0 }, rotation: 3 } }),
    "confirm: confirm",
  );
  assert.deepEqual(toldAfter(state({ told: ["old"], chosen })), ["old", "turn", "place", "confirm"]);
});

test("where the tile finishes something of the player's, the hint says so", () => {
  const finishing = { ...place(1, 0, 0), effects: [], if_passed: [evaluated("island", [0], wares(2, 0, 0))] };
  const hint = hintFor(state({ moves: [finishing], told: ["place"] }));
  assert.equal(hint?.words, text.lesson.finishes.island("2 bananas"));
  assert.equal(hinted({ told: ["place"] }), "again: cells");
});

test("each work of an islander is explained once, and that all may stay at home", () => {
  const sending = { game: phase("islander"), moves: [SEND, PASS] };
  assert.equal(hintFor(state(sending)).words, `${text.lesson.first} ${text.lesson.works["bridge"]}`);
  assert.equal(hintFor(state({ ...sending, told: ["island"] })).words, text.lesson.works["bridge"]);
  assert.equal(hinted({ ...sending, told: ["bridge"] }), "another: spots");
  assert.equal(hinted({ ...sending, chosen: { ...NOTHING_CHOSEN, spot: "s" } }), "send: confirm");
  const back: GameEvent = { type: "islander_returned", seat: 0, x: 0, y: 0, segment: 0 };
  const finished = { game: phase("islander"), moves: [{ ...SEND, effects: [back] }, PASS] };
  assert.ok(hintFor(state({ ...finished, told: ["sea"] })).words.endsWith(text.lesson.already));
  const chosen = { ...NOTHING_CHOSEN, spot: "s" };
  assert.equal(hintFor(state({ ...finished, chosen })).words, text.lesson.sendOnce(text.actionBar.send));
  const { feature } = SEND;
  const market = { ...SEND, feature: feature && { ...feature, kind: "market", open: 7 } };
  const keep = hintFor(state({ ...sending, moves: [market, PASS], told: ["market"] }));
  assert.equal(keep?.words, text.lesson.keep(text.actionBar.noIslander));
});

test("who cannot send an islander out is told to leave them where they are, not to keep them", () => {
  const home = move("r", { type: "retrieve_islander", x: 0, y: 0, segment: 1 });
  const hint = hintFor(state({ game: phase("islander"), moves: [home, PASS] }));
  assert.deepEqual([hint?.words, hint?.move?.id], [text.lesson.leave(text.actionBar.leaveThem), PASS.id]);
  const players = [player(0, "Ana", { supply: 0 }), player(1, "Bo")];
  const out = { game: phase("islander", { players }), moves: [home, PASS] };
  assert.equal(hintFor(state(out)).words, text.lesson.home(text.actionBar.leaveThem));
  assert.equal(hinted({ ...out, told: ["home"] }), "leave: pass");
});

test("what has happened is explained in the order in which it did, each once", () => {
  const steps = [
    step([evaluated("sea", [0], wares(0, 0, 3), "boat"), evaluated("bridge", [0, 1], wares(0, 2, 0))]),
    step([evaluated("bridge", [1], wares(0, 1, 0))], { seat: 1, by: "bot" }),
  ];
  const rich = game({ players: [player(0, "Ana", { wares: wares(3, 0, 1) }), player(1, "Bo")] });
  const told = ["place", "turn"];
  for (const topic of ["finished boat", "finished bridge", "computer", "ships", "letters"]) {
    const hint = hintFor(state({ game: rich, steps, told }));
    assert.equal(hint?.topic, topic);
    assert.ok(hint.words.endsWith(text.lesson.now), "what is due comes last");
    assert.equal(hint.move?.id, "p1.0.0", "the tile has a place all the same");
    if (topic === "ships") assert.equal(hint.ship, "same", "the ship that lacks least");
    if (topic === "letters") assert.equal(hint.words.includes("3 of one kind and 1 of another"), true);
    told.push(topic);
  }
  assert.equal(hinted({ game: rich, steps, told }), "again: cells");
  assert.equal(hinted({ told: ["place"] }), "again: cells", "nobody pays with nothing");
  assert.match(
    hintFor(
      state({
        steps: [
          step([{ type: "tile_placed", seat: 1, tile: "market", x: 0, y: 1, rotation: 0 }], {
            seat: 1,
            by: "bot",
          }),
        ],
        told: ["place"],
      }),
    )?.words ?? "",
    /places a tile .* Where it has an islander/,
  );
});

test("what was taken back has not happened", () => {
  const undone = step([{ type: "move_undone", seat: 0, move: "i0" }]);
  const steps = [step([evaluated("bridge", [0], wares(0, 2, 0))]), undone];
  assert.equal(hinted({ steps, told: ["place"] }), "again: cells");
});

test("a ship is chosen, paid and loaded", () => {
  const delivering = { game: phase("deliver"), moves: [deliver("any", wares(6, 0, 0))] };
  assert.equal(hintFor(state(delivering)).ship, "any");
  assert.equal(hinted(delivering), "deliver: ships");
  const chosen = { ...NOTHING_CHOSEN, ship: "any" };
  assert.equal(hinted({ ...delivering, chosen }), "pay: nothing");
  assert.equal(hinted({ ...delivering, chosen, chosenMove: delivering.moves[0] ?? null }), "load: confirm");
});

test("the lesson ends with the first ship, after many turns, and with the game", () => {
  const players = [player(0, "Ana", { ships: ["any"], points: 5 }), player(1, "Bo")];
  assert.equal(hintFor(state({ game: game({ players }) })).words, text.lesson.over("5 points"));
  assert.equal(hintFor(state({ game: game({ turn: turn({ number: 15 }) }) })).words, text.lesson.overWithout);
  assert.equal(hinted({ game: game({ turn: turn({ number: 14 }) }) }), "place: cells");
  assert.equal(hinted({ game: game({ status: "finished", turn: null }) }), "over: nothing");
  assert.equal(toldAfter(state({ game: game({ players }) })), null, "the next move ends it");
});

test("nothing is suggested while another decides, or the moves are not known", () => {
  assert.equal(hinted({ game: game({ turn: turn({ seat: 1, decider: 1 }) }) }), "theirs: newest");
  assert.equal(hintFor(state({ moves: [] })).words, text.actionBar.placeTile);
  assert.equal(
    hinted({ game: phase("take_ship"), moves: [move("t", { type: "take_ship", ship: "any" })] }),
    "take: ships",
  );
});
