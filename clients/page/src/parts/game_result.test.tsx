import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { renderToString } from "preact-render-to-string";
import type { Game, GameEvent } from "south-seas-client";
import { GameRow } from "../lobby/game_row.tsx";
import { text } from "../messages/index.ts";
import { finished, game, player, turn, wares } from "../testing/games.ts";
import { elements, textOf } from "../testing/render.ts";
import { ScriptedGame } from "../testing/scripted_game.ts";
import { GameResult } from "./game_result.tsx";
import { useNews } from "./page_title.ts";
import { Players } from "./players.tsx";

async function shown(t: TestContext, ended: Game, seats: readonly number[] = [0]) {
  const session = await new ScriptedGame(t, ended).open(seats);
  return {
    session,
    result: <GameResult session={session} game={ended} />,
    cards: <Players session={session} />,
    row: <GameRow game={ended} isMyTurn={false} isUnsent={false} verb="" onForget={undefined} />,
  };
}

test("cards, result and lobby show the same totals, and the winner first", async (t) => {
  const { result, cards, row } = await shown(
    t,
    finished(
      [1],
      [
        [9, 1],
        [8, 4],
      ],
    ),
  );
  assert.deepEqual(elements(result, "td"), ["8", "4", "12", "9", "1", "10"]);
  assert.match(elements(result, "tr", "winner")[0] ?? "", /^Bo/);
  assert.deepEqual(elements(cards, "article", "winner").length, 1);
  assert.deepEqual(elements(cards, "span", 'class="points"'), ["10", "12"]);
  assert.deepEqual(elements(row, "small", "points"), ["10", "12"]);
  assert.match(textOf(result), /^Bo wins/);
});

test("somebody who has resigned ranks below the winner, whatever the points", async (t) => {
  const ended = finished(
    [1],
    [
      [9, 0],
      [2, 0],
    ],
  );
  const players = [player(0, "Ana", { resigned: true }), player(1, "Bo")];
  const { result } = await shown(t, { ...ended, players });
  assert.deepEqual(elements(result, "td"), ["2", "0", "2", "9", "0", "9"]);
  assert.match(elements(result, "tr")[2] ?? "", /^Ana out of the game/);
});

test("all who share the win are winners, and the only player here has won", async (t) => {
  const { result, cards } = await shown(
    t,
    finished(
      [0, 1],
      [
        [5, 1],
        [6, 0],
      ],
    ),
  );
  assert.match(textOf(result), /^Ana and Bo share the win/);
  assert.equal(elements(cards, "article", "winner").length, 2);
  assert.match(
    textOf(
      (
        await shown(
          t,
          finished(
            [0],
            [
              [5, 0],
              [1, 0],
            ],
          ),
        )
      ).result,
    ),
    /^You win!/,
  );
  assert.match(
    textOf(
      (
        await shown(
          t,
          finished(
            [0],
            [
              [5, 0],
              [1, 0],
            ],
          ),
          [0, 1],
        )
      ).result,
    ),
    /^Ana wins/,
  );
});

test("only players may start the rematch, and everybody may open it", async (t) => {
  const over = finished(
    [0],
    [
      [5, 0],
      [1, 0],
    ],
  );
  assert.ok(elements((await shown(t, over)).result, "button").includes(text.result.rematch));
  assert.ok(!elements((await shown(t, over, [])).result, "button").includes(text.result.rematch));
  const next = await shown(t, { ...over, next_game: "next" }, []);
  assert.ok(elements(next.result, "button").includes(text.result.next));
});

test("the result lists the turns that the computer played and that the clock decided", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open();
  for (const [number, by] of [
    [3, "bot"],
    [5, "bot"],
    [6, "clock"],
  ] as const) {
    script.deliver(script.change({ turn: turn({ number: number }) }));
    script.deliver(script.change({ turn: turn({ number: number + 1 }) }, { by, move: "p1.0.0" }));
  }
  const over = finished(
    [0],
    [
      [5, 0],
      [1, 0],
    ],
  );
  assert.deepEqual(elements(<GameResult session={session} game={over} />, "li"), [
    "The computer played for Ana in turns 3 and 5.",
    "Ana’s time ran out, and the clock decided, in turn 6.",
  ]);
});

test("an aborted game has no result", async (t) => {
  const { result } = await shown(t, game({ status: "aborted", turn: null }));
  assert.match(textOf(result), new RegExp(`^${text.result.aborted}`));
  assert.deepEqual(elements(result, "td"), []);
});

test("a replay shows the winner in the last step only", async (t) => {
  const script = new ScriptedGame(t, game());
  const session = await script.open();
  const { version: _, ...over } = finished(
    [0],
    [
      [5, 0],
      [1, 0],
    ],
  );
  script.deliver(script.change(over));
  session.replay(1);
  assert.deepEqual(elements(<Players session={session} />, "article", "winner"), []);
  session.replay(2);
  assert.equal(elements(<Players session={session} />, "article", "winner").length, 1);
});

/** The result of a game of Ana, Bo and Cy, of whom only Ana is left, in a browser that has these seats. */
async function left(t: TestContext, seats: readonly number[], ...by: ("seat" | "clock")[]): Promise<string> {
  const script = new ScriptedGame(t, game({ players: [player(0, "Ana"), player(1, "Bo"), player(2, "Cy")] }));
  const session = await script.open(seats);
  const scores = [0, 1, 2].map((seat) => ({ seat, ships: 0, wares: 0, total: 0 }));
  const over: Partial<Game> = {
    status: "finished",
    turn: null,
    result: { reason: "resigned", winners: [0], scores },
  };
  by.forEach((by, index) => {
    const seat = index + 1;
    const late = by === "clock" ? [{ type: "turn_timed_out", seat, policy: "resign" }] : [];
    const events = [...late, { type: "player_resigned", seat }] as GameEvent[];
    script.deliver(script.change(index === 1 ? over : {}, { by, seat, events }));
  });
  const [, reason = ""] = /<p class="hint">(.*?)<\/p>/.exec(
    renderToString(<GameResult session={session} game={script.game} />),
  ) as RegExpExecArray;
  return reason;
}

test("the result says truly to each reader why the others are out", async (t) => {
  const [winner, loser, spectator, couple] = [[0], [1], [], [1, 2]];
  assert.equal(await left(t, winner, "seat", "seat"), "Bo and Cy resigned.");
  assert.equal(await left(t, loser, "seat", "seat"), "You resigned. Cy resigned.");
  assert.equal(await left(t, spectator, "seat", "seat"), "Bo and Cy resigned.");
  assert.equal(await left(t, couple, "seat", "seat"), "Bo and Cy resigned.");
  const late = "which counts as resigning.";
  assert.equal(await left(t, winner, "seat", "clock"), `Bo resigned. Time ran out for Cy, ${late}`);
  assert.equal(await left(t, loser, "seat", "clock"), `You resigned. Time ran out for Cy, ${late}`);
  assert.equal(await left(t, spectator, "clock", "clock"), `Time ran out for Bo and Cy, ${late}`);
  assert.equal(
    await left(t, loser, "clock", "clock"),
    `Your time ran out, ${late} Time ran out for Cy, ${late}`,
  );
});

test("every other end has its reason, the same for all", async (t) => {
  for (const [reason, words] of Object.entries(text.result.reasons)) {
    const over = finished([0], []);
    const ended = { ...over, result: { ...over.result, reason } } as Game;
    for (const seats of [[0], [1], [], [0, 1]])
      assert.ok(textOf((await shown(t, ended, seats)).result).includes(words));
  }
});

test("a rematch that somebody creates is announced", async (t) => {
  const script = new ScriptedGame(t, finished([0], []));
  const session = await script.open();
  const bar = () => textOf(<GameResult session={session} game={script.game} />);
  assert.ok(!bar().includes(text.result.againBy));
  script.deliver(
    script.change({ next_game: "n" }, { events: [{ type: "rematch_created", game: "n" }] as never }),
  );
  assert.ok(bar().includes(text.result.againBy));
  assert.ok(session.hasRematch);
});

test("a spectator may watch the rematch, and is not asked to play again", async (t) => {
  for (const [seats, title, words] of [
    [[0], text.result.again, text.result.againBy],
    [[], "", text.result.againToWatch],
  ] as const) {
    const script = new ScriptedGame(t, finished([0], []));
    const session = await script.open(seats);
    script.deliver(
      script.change({ next_game: "n" }, { events: [{ type: "rematch_created", game: "n" }] as never }),
    );
    const Title = () => <b>{useNews(session)}</b>;
    assert.equal(textOf(<Title />), title);
    assert.ok(textOf(<GameResult session={session} game={script.game} />).includes(words));
  }
});

test("what was gained stands beside the amounts until the game is over", async (t) => {
  const scripted = new ScriptedGame(t, game({ turn: turn({ seat: 1, decider: 1 }) }));
  const session = await scripted.open();
  const gains = () => elements(<Players session={session} />, "span", 'class="gained"');
  const players = [player(0, "Ana", { wares: wares(2, 0, 0) }), player(1, "Bo", { points: 3 })];
  scripted.deliver(scripted.change({ players }, { seat: 1 }));
  assert.deepEqual(gains(), ["+2", "+3"]);
  scripted.deliver(scripted.change({ ...finished([1], []), players }, { seat: 1 }));
  assert.deepEqual(gains(), []);
});
