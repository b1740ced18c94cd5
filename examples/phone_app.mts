/**
 * A phone app without a screen: `node phone_app.mts URL FOLDER` plays a game against the bot `greedy`.
 *
 * Stop it at any time, or take its network away: started again, it shows the stored board, sends what its player pressed,
 * and plays on. The client retries, reconnects and patches; what to store, and when, is the app's part, and this program.
 * It needs Node.js 24, and the client's package in its folder.
 */

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { type Created, type Game, type LegalMoves, ProblemError, SouthSeas, newKey } from "south-seas-client";

const [, , url = "http://127.0.0.1:8080", folder = "phone"] = process.argv;
const SEAT = 0;

/** The keys of this app, made before anything is sent. They belong into the Keychain or Keystore. */
interface Keys {
  readonly creatorKey: string;
  /** The idempotency key of the creation. The tokens are derived from it. */
  readonly creation: string;
}

/** What the player pressed and the service has not answered. */
interface Press {
  readonly key: string;
  readonly move: string;
  readonly version: number;
  readonly digest: string;
}

function load<Value>(name: string): Value | null {
  try {
    return JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8")) as Value;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Stores a value: a crash leaves the old one or the new one, never a part. */
function store<Value>(name: string, value: Value): Value {
  writeFileSync(`${folder}/${name}.new`, JSON.stringify(value), { mode: 0o600 });
  renameSync(`${folder}/${name}.new`, `${folder}/${name}.json`);
  return value;
}

mkdirSync(folder, { recursive: true });
const keys = load<Keys>("keys") ?? store<Keys>("keys", { creatorKey: newKey(), creation: newKey() });
const service = new SouthSeas({
  url,
  creatorKey: keys.creatorKey,
  backoff: { maxAttempts: Infinity },
  onRetry: ({ what, reason }) => console.log(`waiting: ${what}: ${reason}`),
});

/** Creates the game; the same request again, after a crash, returns the same game and tokens. */
async function create(): Promise<Created> {
  const request = { players: [{ name: "Ana" }, { bot: "greedy" }], first_seat: SEAT };
  return store("created", await service.createGame(request, { key: keys.creation, includeLegalMoves: true }));
}

const created = load<Created>("created") ?? (await create());
const id = created.game.id;
const ana = service.withToken(created.seats[SEAT]!.token);
let legal = load<LegalMoves>("legal") ?? created.legal_moves;
let press = load<Press>("press");
let onChange = (): void => {};

const subscription = ana.subscribe(id, {
  from: load<{ game: Game; digest: string }>("game") ?? created,
  onState: (game) => {
    store("game", { game, digest: subscription.digest });
    onChange(); // an app draws the board here
  },
  onError: (error) => {
    throw error;
  },
});

/** Stores what the player pressed, before it is sent. This player thinks for a moment, and presses at random. */
async function pressMove({ moves, version, digest }: LegalMoves): Promise<void> {
  await setTimeout(30);
  const move = moves[Math.floor(Math.random() * moves.length)]!.id;
  press = store<Press>("press", { key: newKey(), move, version, digest });
}

/** Sends what was pressed until there is an answer, and forgets it then. */
async function send({ key, move, version, digest }: Press): Promise<void> {
  console.log(`pressed ${key} ${move}`);
  try {
    const acted = await ana.act(id, { move }, { key, ifMatch: { version, digest }, includeLegalMoves: true });
    subscription.applyDiffs(acted.diffs);
    legal = store("legal", acted.legal_moves);
    console.log(`played ${key}`);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    console.log(`refused: ${error.message}`); // an app tells its player, who decides again
    legal = null;
  }
  rmSync(`${folder}/press.json`);
  press = null;
}

for (;;) {
  const changed = new Promise<void>((resolve) => (onChange = resolve));
  const game = subscription.game!;
  if (game.status !== "active") break;
  if (press !== null) await send(press);
  else if (game.turn?.decider !== SEAT) await changed;
  else if (legal?.version === game.version && legal.seat === SEAT) await pressMove(legal);
  else {
    legal = store("legal", await ana.legalMoves(id));
    if (legal.version > game.version) await changed;
  }
}
subscription.close();
console.log(`over: ${subscription.game?.result?.reason}`);
