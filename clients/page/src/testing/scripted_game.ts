/** One game of the service as a test scripts it: what the page's requests get, and what the page sends. */

import { type Mock, type TestContext } from "node:test";
import {
  type Diff,
  type Game,
  type Move,
  type Problem,
  ProblemError,
  type SubscribeOptions,
  UnreachableError,
  applyDiff,
} from "south-seas-client";
import { service } from "../service.ts";
import { GameSession } from "../session/game_session.ts";
import { TILESET, change, legal } from "./games.ts";

export const NO_ANSWER = new UnreachableError("https://seas.example", new Error("gone"));

export function problem(code: string, status: number): ProblemError {
  return new ProblemError({ code, status, detail: `detail of ${code}`, title: "" } as Problem);
}

export class ScriptedGame {
  /** What the next moves fail with; the others are played. */
  readonly failures: Error[] = [];
  readonly act: Mock<typeof service.act>;
  moves: Move[] = [];
  subscription: SubscribeOptions = {};
  private readonly diffs: Diff[];

  constructor(
    readonly t: TestContext,
    public game: Game,
  ) {
    localStorage.clear();
    const creation = Object.entries(game).map(
      ([name, value]) => ({ op: "add", path: `/${name}`, value }) as const,
    );
    this.diffs = [change(game.version, creation)];
    const { diffs } = this;
    t.mock.method(service, "log", async function* (_: string, since = 0) {
      yield* diffs.filter(({ version }) => version > since);
    });
    t.mock.method(service, "tileset", async () => TILESET);
    t.mock.method(service, "scores", async () => ({
      version: this.game.version,
      players: [],
      islanders: [],
    }));
    t.mock.method(service, "features", async () => ({
      version: this.game.version,
      language: "en",
      features: [],
    }));
    t.mock.method(service, "legalMoves", async () => legal(this.moves, this.game.version));
    t.mock.method(service, "subscribe", (_: string, options: SubscribeOptions) => {
      this.subscription = options;
      return {
        applyDiffs: (added: Diff[]) => added.forEach((diff) => this.deliver(diff)),
        check() {},
        close() {},
      };
    });
    this.act = t.mock.method(service, "act", async () => {
      const failure = this.failures.shift();
      if (failure) throw failure;
      return { ...this.game, diffs: [this.change({ bag: this.game.bag - 1 })], legal_moves: null } as never;
    });
  }

  /** Opens the game in a browser that has the tokens of these seats. */
  async open(seats: readonly number[] = [0], lesson: readonly string[] | null = null): Promise<GameSession> {
    const tokens = Object.fromEntries(seats.map((seat) => [seat, `token-${seat}`]));
    const session = new GameSession({
      id: "g",
      owner: null,
      spectator: null,
      seats: tokens,
      private: false,
      lesson,
      opened: 0,
    });
    this.t.after(() => session.close());
    await settled();
    this.subscription.onStatus?.("connected");
    return session;
  }

  /** Makes the next version, which the service knows and the page does not yet. */
  change(changes: Partial<Game>, more: Partial<Diff> = {}): Diff {
    const version = this.game.version + 1;
    const patch = Object.entries({ ...changes, version }).map(
      ([name, value]) => ({ op: "add", path: `/${name}`, value }) as const,
    );
    const diff = { ...change(version, patch), ...more };
    this.game = applyDiff(this.game, diff);
    this.diffs.push(diff);
    return diff;
  }

  /** Lets the page hear of a change. */
  deliver(diff: Diff): void {
    const patches = this.diffs.filter(({ version }) => version <= diff.version);
    this.subscription.onState?.(patches.reduce(applyDiff, {} as Game), diff);
  }
}

/** Waits until all that is answered at once has been. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets what had no answer be tried again; the test mocks the time. */
export async function retry(t: TestContext): Promise<void> {
  t.mock.timers.tick(3000);
  await settled();
}
