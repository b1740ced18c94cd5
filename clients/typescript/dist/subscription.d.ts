/** A subscription to a game: every version once and in order, across lost connections and restarts. */
import { ProblemError } from "./errors.js";
import type { RequestOptions } from "./http.js";
import type { Diff, Game } from "./types.js";
import type { Sockets } from "./websocket.js";
/**
 * The state of the connection: `connecting` until the first connection, `connected` when missed diffs follow, `reconnecting` before the next attempt, `closed`
 * permanently.
 */
export type Status = "connecting" | "connected" | "reconnecting" | "closed";
export interface SubscribeOptions {
    /** A token that can read the game; null for none. Defaults to the client's token. */
    readonly token?: string | null;
    /** A state to resume from, from a response or stored earlier. */
    readonly from?: {
        readonly game: Game;
        readonly digest: string;
    };
    /** Called when the game has changed by `diff`; `diff` is null if the game was read whole. */
    readonly onState?: (game: Game, diff: Diff | null) => void;
    /** Called when the state of the connection has changed; it begins as `connecting`. */
    readonly onStatus?: (status: Status) => void;
    /** Called when the service rejects the subscription, as for a wrong token. The subscription is then closed. */
    readonly onError?: (error: ProblemError) => void;
    /** Closes the subscription. */
    readonly signal?: AbortSignal;
}
/** A subscription to one game, until `close`. Those of a client share one WebSocket, if they fit. */
export declare class Subscription {
    #private;
    readonly id: string;
    private readonly options;
    private readonly log;
    /** Use `SouthSeas.subscribe` to create one. */
    constructor(id: string, sockets: Sockets, options: SubscribeOptions, log: (since: number, options: RequestOptions) => AsyncIterable<Diff>);
    /** GAME at the last known version; null until the first snapshot. */
    get game(): Game | null;
    /** The digest of that version. */
    get digest(): string | null;
    /** The state of the connection. */
    get status(): Status;
    /** Applies the diffs of a response at once; the socket delivers those that do not fit. */
    applyDiffs(diffs: readonly Diff[]): void;
    /** Checks at once whether the connection still works, as after a failed request. */
    check(): void;
    /** Ends the subscription. */
    readonly close: () => void;
}
