/** The games in which this browser plays: all of them, with those first that wait for it. */

import { type Game, type GameSummary, ProblemError } from "south-seas-client";
import { Observable } from "../model/observable.ts";
import { pathOf } from "../model/route.ts";
import {
  type StoredGame,
  removeGame,
  saveGame,
  savePart,
  storedGame,
  storedGames,
  storedPart,
} from "../model/storage.ts";
import { isGone, reasonOf, service } from "../service.ts";
import type { Step } from "./game_history.ts";
import { Outbox } from "./outbox.ts";

const REFRESH_MS = 15_000;
/** How many tokens a request may have, and games its answer. */
const PAGE = 100;
/** How long a game that the service does not know stays here: its store may come back with it. */
const KEPT_MS = 7 * 86_400_000;

export interface ListedGame {
  readonly game: GameSummary;
  /** Whether a move waits there for the network. */
  readonly isUnsent: boolean;
  readonly isMyTurn: boolean;
}

export class OwnGames extends Observable {
  /** As they were read; null for what the stored tokens do not open. */
  private readonly known = new Map<string, GameSummary | null>();
  private watchers = 0;
  private refreshing: ReturnType<typeof setInterval> | undefined;
  /** Whether they have been read at all. */
  isRead = false;

  /** All of them: those that wait for this player, the ones that can be played on, those that are over. */
  get list(): readonly ListedGame[] {
    return storedGames()
      .flatMap((stored) => {
        const game = isSeated(stored) && this.summaryOf(stored);
        if (!game) return [];
        const isUnsent = storedPart(game.id, "move") !== null;
        return [{ game, isUnsent, isMyTurn: !isUnsent && decides(stored, game) }];
      })
      .sort(
        (one, other) =>
          rank(one) - rank(other) ||
          untilDeadline(one) - untilDeadline(other) ||
          waitingSince(one).localeCompare(waitingSince(other)),
      );
  }

  /** Until it has been read, a game is as it was when it was last seen here. */
  private summaryOf({ id }: StoredGame): GameSummary | null {
    const known = this.known.get(id);
    return known === undefined ? ((storedPart(id, "step") as Step | null)?.game ?? null) : known;
  }

  /** Those that wait for this player, the most urgent first, then what waits longest. */
  get waiting(): readonly GameSummary[] {
    return this.list.filter(({ isMyTurn }) => isMyTurn).map(({ game }) => game);
  }

  /** Those of them that wait beside a game, in the order of a tour that comes to each of them. */
  waitingBeside(id: string): readonly GameSummary[] {
    const { waiting } = this;
    const at = waiting.findIndex((game) => game.id === id);
    return at === -1 ? waiting : [...waiting.slice(at + 1), ...waiting.slice(0, at)];
  }

  /** Reads them from the service: all with one request, and those that it does not list one by one. */
  async read(): Promise<void> {
    await Promise.all(storedGames().map(({ id }) => sendLeftMove(id)));
    const wanted = storedGames().filter((stored) => isSeated(stored) && this.mayChange(stored.id));
    const tokens = [...new Set(wanted.map(seatToken))];
    const games: GameSummary[] = [];
    for (let from = 0; from < tokens.length; from += PAGE)
      games.push(...(await gamesOf(tokens.slice(from, from + PAGE))));
    // The oldest first: a game says which is its rematch.
    for (const game of games.toReversed()) this.put(game);
    const listed = new Set(games.map(({ id }) => id));
    await Promise.all(wanted.filter(({ id }) => !listed.has(id)).map((stored) => this.check(stored)));
    this.isRead = true;
    this.notify();
  }

  private mayChange(id: string): boolean {
    const known = this.known.get(id);
    return known === undefined || (known !== null && !isClosed(known));
  }

  /** A game on the screen is known at once. */
  onChange(game: GameSummary | Game): void {
    this.put(game);
    this.notify();
  }

  /** Reads them again and again, until the returned function is called. */
  watch(): () => void {
    if (this.watchers++ === 0) this.refreshing = setInterval(() => void this.refresh(), REFRESH_MS);
    void this.refresh();
    return () => {
      if (--this.watchers === 0) clearInterval(this.refreshing);
    };
  }

  /** What cannot be read now is read the next time; a mistake of this page is thrown. */
  private async refresh(): Promise<void> {
    try {
      await this.read();
    } catch (error) {
      reasonOf(error);
    }
  }

  /** Reads a game that the service does not list: it is gone, or has other tokens now. */
  private async check(stored: StoredGame): Promise<void> {
    try {
      this.put(await service.game(stored.id, { token: seatToken(stored) }));
    } catch (error) {
      if (!isGone(error)) throw error;
      this.known.set(stored.id, null);
      if (Date.now() - stored.opened > KEPT_MS) removeGame(stored.id);
    }
  }

  private put(game: GameSummary | Game): void {
    const stored = storedGame(game.id);
    const before = this.known.get(game.id);
    if (!stored || !isSeated(stored) || (before && before.version > game.version)) return;
    this.known.set(game.id, game);
    const { owner, spectator, seats, private: isPrivate } = stored;
    const { next_game: next } = game;
    if (!next || storedPart(game.id, "rematch") === next) return;
    savePart(game.id, "rematch", next);
    // The tokens of a game open its rematch too, whoever asked for it.
    if (!storedGame(next)) saveGame(next, { owner, spectator, seats, private: isPrivate });
  }
}

export const ownGames = new OwnGames();

/** Sends the move that was not sent when its game was left; the game on the screen sends its own. */
async function sendLeftMove(id: string): Promise<void> {
  if (storedPart(id, "move") === null || location.pathname === pathOf(id)) return;
  try {
    await new Outbox(id).send();
  } catch (error) {
    reasonOf(error); // what is refused is dropped: it is this player's turn again
  }
}

/** Whether this browser plays in a game. */
export function isSeated({ seats }: StoredGame): boolean {
  return Object.keys(seats).length > 0;
}

function seatToken({ seats }: StoredGame): string {
  return Object.values(seats)[0] ?? "";
}

/** The games of some seats; none where no token is known. */
async function gamesOf(tokens: readonly string[], cursor: string | null = null): Promise<GameSummary[]> {
  try {
    const query = { limit: PAGE, ...(cursor !== null && { cursor }) };
    const { games, next_cursor: next } = await service.myGames(query, tokens);
    const found = games.map(({ game }) => game);
    return next === null ? found : [...found, ...(await gamesOf(tokens, next))];
  } catch (error) {
    if (error instanceof ProblemError && error.code === "unauthorized") return [];
    throw error;
  }
}

/** Nothing of it changes any more: a game has a rematch once it is over, finished or aborted. */
function isClosed({ next_game: next }: GameSummary): boolean {
  return next !== null;
}

function decides(stored: StoredGame, { turn, players }: GameSummary): boolean {
  const player = turn && players[turn.decider];
  return Boolean(
    player && stored.seats[player.seat] !== undefined && player.bot === null && !player.resigned,
  );
}

function rank({ game, isMyTurn }: ListedGame): number {
  return isMyTurn ? 0 : ["active", "waiting"].indexOf(game.status) + 1 || 3;
}

function untilDeadline({ game, isMyTurn }: ListedGame): number {
  return isMyTurn && game.turn?.deadline ? Date.parse(game.turn.deadline) : Number.MAX_SAFE_INTEGER;
}

/** The other games stay in the order in which they were opened. */
function waitingSince({ game, isMyTurn }: ListedGame): string {
  return isMyTurn ? `${game.updated_at} ${game.id}` : "";
}
