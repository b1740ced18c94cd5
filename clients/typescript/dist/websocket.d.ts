/** WebSockets, each shared by the games of a client, with reconnection. */
import { type Backoff, type Retry } from "./backoff.js";
import type { ServerClock } from "./clock.js";
import type { ClientMessage, Problem, ServerMessage } from "./types.js";
type GameMessage = Extract<ServerMessage, {
    type: "subscribed" | "snapshot" | "diff";
}>;
/** A game that is followed on a socket. */
export interface FollowedGame {
    readonly id: string;
    /** The socket that it is followed on. */
    socket: SharedSocket | null;
    /** The subscriptions to it that failed since the last that did not. */
    failures: number;
    /** Returns the messages that subscribe to it, from where it is. */
    subscribe(): ClientMessage[];
    receive(message: GameMessage): void;
    /** The next attempt follows. */
    disconnected(): void;
    /** Reads the changes by HTTP, for want of a socket; resolves to whether that worked. */
    readLog(): Promise<boolean>;
    /** No attempt can succeed. */
    failed(problem: Problem): void;
}
/** The sockets of a client: one, and another where all are full or follow the same game already. */
export declare class Sockets {
    #private;
    readonly url: string;
    readonly backoff: Backoff;
    readonly clock: ServerClock;
    readonly WebSocket: typeof globalThis.WebSocket | undefined;
    readonly onRetry: ((retry: Retry) => void) | undefined;
    /** `url` is that of `/v1/ws`. */
    constructor(url: string, backoff: Backoff, clock: ServerClock, WebSocket: typeof globalThis.WebSocket | undefined, onRetry: ((retry: Retry) => void) | undefined);
    /** Follows a game on a socket that has room for it. */
    add(game: FollowedGame): void;
    /** Forgets a socket that is closed. */
    remove(socket: SharedSocket): void;
}
/** One WebSocket, connected while games are followed on it. After a loss all its games wait for one connection. */
export declare class SharedSocket {
    #private;
    private readonly sockets;
    constructor(sockets: Sockets);
    hasRoom(id: string): boolean;
    /** Follows a game. */
    add(game: FollowedGame): void;
    /** Follows a game no more; the socket is closed after the last one. */
    remove(game: FollowedGame): void;
    send(message: ClientMessage): void;
    /** Checks at once whether the connection still works. */
    check(): void;
}
export {};
