/** A subscription to a game: every version once and in order, across lost connections and restarts. */
import { ProblemError } from "./errors.js";
import { Replica } from "./replica.js";
/** A subscription to one game, until `close`. Those of a client share one WebSocket, if they fit. */
export class Subscription {
    id;
    options;
    log;
    #replica = new Replica();
    #followed;
    #status = "connecting";
    #isSyncing = false;
    /** Aborts what is read by HTTP. */
    #closing = new AbortController();
    /** Use `SouthSeas.subscribe` to create one. */
    constructor(id, sockets, options, log) {
        this.id = id;
        this.options = options;
        this.log = log;
        if (typeof id !== "string")
            throw new TypeError(`a game is given by its id, not by ${typeof id}`);
        if (options.from !== undefined && !("digest" in options.from && "game" in options.from)) {
            throw new TypeError("from is a response or a stored state with { game, digest }, not the game alone");
        }
        this.#followed = {
            id,
            socket: null,
            failures: 0,
            subscribe: () => this.#subscribe(),
            receive: (message) => {
                if (message.type === "subscribed")
                    this.#setStatus("connected");
                else if (message.type === "diff")
                    this.#applyOrSync(message);
                else
                    this.#replace(message.game, message.digest);
            },
            disconnected: () => {
                this.#isSyncing = false;
                this.#setStatus("reconnecting");
            },
            readLog: () => this.#readLog(),
            failed: (problem) => {
                this.close();
                options.onError?.(new ProblemError(problem));
            },
        };
        if (options.from !== undefined)
            this.#replica.replace(options.from.game, options.from.digest);
        options.signal?.addEventListener("abort", this.close, { once: true });
        if (options.signal?.aborted)
            this.close();
        else
            sockets.add(this.#followed);
    }
    /** GAME at the last known version; null until the first snapshot. */
    get game() {
        return this.#replica.game;
    }
    /** The digest of that version. */
    get digest() {
        return this.#replica.digest;
    }
    /** The state of the connection. */
    get status() {
        return this.#status;
    }
    /** Applies the diffs of a response at once; the socket delivers those that do not fit. */
    applyDiffs(diffs) {
        for (const diff of this.#isSyncing ? [] : diffs) {
            if (diff.game === this.id && this.#replica.apply(diff) === "applied")
                this.#notify(diff);
        }
    }
    /** Checks at once whether the connection still works, as after a failed request. */
    check() {
        this.#followed.socket?.check();
    }
    /** Ends the subscription. */
    close = () => {
        if (this.#status === "closed")
            return;
        this.options.signal?.removeEventListener("abort", this.close);
        this.#followed.socket?.remove(this.#followed);
        this.#closing.abort();
        this.#setStatus("closed");
    };
    #subscribe() {
        const { token } = this.options;
        const { game, digest } = this.#replica;
        const since = game === null ? {} : { since: game.version, digest };
        const subscribe = { type: "subscribe", game: this.id, ...since };
        return token ? [{ type: "auth", game: this.id, token }, subscribe] : [subscribe];
    }
    #replace(game, digest) {
        this.#isSyncing = false;
        if (this.#replica.replace(game, digest))
            this.#notify(null);
    }
    async #readLog() {
        const options = { token: this.options.token ?? null, signal: this.#closing.signal };
        try {
            let { game } = this.#replica;
            for await (const diff of game === null ? [] : this.log(game.version, options)) {
                const result = this.#replica.apply(diff);
                if (result === "applied")
                    this.#notify(diff);
                if (result === "gap")
                    game = null;
            }
            if (game === null) {
                const whole = new Replica();
                for await (const diff of this.log(0, options))
                    whole.apply(diff);
                if (whole.game !== null && whole.digest !== null)
                    this.#replace(whole.game, whole.digest);
            }
            return true;
        }
        catch (error) {
            if (error instanceof ProblemError && error.status !== 429 && error.status < 500)
                this.#followed.failed(error.problem);
            return false;
        }
    }
    #applyOrSync(diff) {
        if (this.#isSyncing)
            return;
        const result = this.#replica.apply(diff);
        if (result === "applied")
            this.#notify(diff);
        if (result === "gap") {
            this.#isSyncing = true;
            this.#followed.socket?.send({ type: "sync", game: this.id });
        }
    }
    #notify(diff) {
        if (this.#replica.game !== null)
            this.options.onState?.(this.#replica.game, diff);
    }
    #setStatus(status) {
        if (status === this.#status)
            return;
        this.#status = status;
        this.options.onStatus?.(status);
    }
}
