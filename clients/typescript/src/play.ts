/** The loop that plays a seat. */

import { ProblemError, SeatReplacedError, SeatResignedError } from "./errors.js";
import type { RequestOptions } from "./http.js";
import type { SouthSeas } from "./southseas.js";
import type { SubscribeOptions, Subscription } from "./subscription.js";
import type { Game, LegalMoves, Move } from "./types.js";

/** Selects one of the legal moves in a game. */
export type MoveChooser = (moves: readonly Move[], game: Game) => Move | Promise<Move>;

export interface PlayOptions extends SubscribeOptions {
  /** Takes the seat back when a bot plays for it, because a deadline was missed. */
  readonly returnWhenReplaced?: boolean;
}

/** Problems of a move that another request preceded: an undo, a timeout, the owner. */
const OVERTAKEN_CODES = new Set([
  "version_mismatch",
  "conflict",
  "not_your_turn",
  "not_active",
  "replaced",
  "not_replaced",
  "resigned",
]);

/**
 * Plays a seat until the game is over. Rejects if the subscription is rejected, or aborted by `options.signal`, and with
 * SeatReplacedError and SeatResignedError.
 */
export async function playSeat(
  client: SouthSeas,
  id: string,
  seat: number,
  choose: MoveChooser,
  options: PlayOptions,
): Promise<Game> {
  if (!Number.isInteger(seat) || seat < 0) {
    throw new TypeError(`a seat is given by its number, from 0, not by ${JSON.stringify(seat)}`);
  }
  let onChange = (): void => {};
  let failure: unknown = null;
  const request = options.signal === undefined ? {} : { signal: options.signal };
  const subscription = client.subscribe(id, {
    ...options,
    onState: (game, diff) => {
      options.onState?.(game, diff);
      onChange();
    },
    onStatus: (status) => {
      options.onStatus?.(status);
      onChange();
    },
    onError: (error) => {
      failure = error;
      options.onError?.(error);
      onChange();
    },
  });
  try {
    let legal: LegalMoves | null = null;
    for (;;) {
      const changed = new Promise<void>((resolve) => (onChange = resolve));
      const { game } = subscription;
      if (failure !== null) throw failure;
      options.signal?.throwIfAborted();
      if (game?.status === "finished" || game?.status === "aborted") return game;
      const player = game?.players[seat];
      if (game !== null && player === undefined) throw new RangeError(`the game has no seat ${seat}`);
      if (game?.turn && player?.resigned) throw new SeatResignedError(seat);
      const bot = player?.kind === "human" ? player.bot : null;
      if (game?.turn && (bot !== null || (game.turn.paused && game.turn.decider !== seat))) {
        if (bot !== null && !options.returnWhenReplaced) throw new SeatReplacedError(seat, bot);
        await unlessOvertaken(async () => {
          subscription.applyDiffs((await client.returnToSeat(id, { seat }, request)).diffs);
          return null;
        });
      } else if (game?.turn?.decider === seat) {
        legal = await playMove(client, subscription, game, choose, legal, request);
      }
      await changed;
    }
  } finally {
    subscription.close();
  }
}

/** Plays the chosen move, unless the game has changed. Returns the legal moves after it, if known. */
async function playMove(
  client: SouthSeas,
  subscription: Subscription,
  game: Game,
  choose: MoveChooser,
  known: LegalMoves | null,
  request: RequestOptions,
): Promise<LegalMoves | null> {
  const legal = known?.version === game.version ? known : await client.legalMoves(game.id, {}, request);
  if (legal.version !== game.version || legal.seat === null) return legal;
  const { seat } = legal;
  const move = (await choose(legal.moves, game)).id;
  return unlessOvertaken(async () => {
    const acted = await client.act(game.id, { move, seat }, { ...request, ifMatch: legal, includeLegalMoves: true });
    subscription.applyDiffs(acted.diffs);
    return acted.legal_moves;
  });
}

/** Returns the result of a request, or null if another one preceded it. */
async function unlessOvertaken<Result>(request: () => Promise<Result>): Promise<Result | null> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof ProblemError && OVERTAKEN_CODES.has(error.code)) return null;
    throw error;
  }
}
