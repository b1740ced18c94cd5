/** Whether the service can be reached: what the socket says, and what requests without an answer say. */

import type { Status } from "south-seas-client";

/** How long after a request without an answer it is tried again. */
const RETRY_MS = 3000;
/** How often what a socket would bring is asked for, while there is none. */
const CATCH_UP_MS = 5000;

export class Network {
  private socket: Status = "connecting";
  private hasNoResponse = false;
  /** Whether requests bring what the socket does not. */
  private isCaughtUp = false;
  private isClosed = false;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;

  /** `recover` does again what had no answer. */
  constructor(private readonly recover: () => void) {}

  /** Connected only where requests are answered as well; without a socket they bring what happens, over HTTP. */
  get status(): Status | "http" {
    if (this.hasNoResponse) return this.socket === "connected" ? "reconnecting" : this.socket;
    return this.isCaughtUp ? "http" : this.socket;
  }

  /** Whether requests have no answer. */
  get isOffline(): boolean {
    return this.hasNoResponse;
  }

  /** Whether the socket brings all that happens. */
  get isFollowed(): boolean {
    return this.socket === "connected";
  }

  setSocketStatus(status: Status): void {
    // What a lost socket did not bring is asked for first; one that never opened changes nothing.
    if (this.isFollowed || status === "connected") this.isCaughtUp = false;
    this.socket = status;
    if (this.isFollowed && this.hasNoResponse) this.retry(0);
    else if (!this.hasNoResponse) this.onResponse();
  }

  /** A request had no answer. */
  onNoResponse(): void {
    this.hasNoResponse = true;
    this.isCaughtUp = false;
    this.retry(RETRY_MS);
  }

  /** Nothing waits for an answer: the socket alone tells. */
  onRecovered(): void {
    if (this.isFollowed) this.onResponse();
  }

  /** A request was answered. */
  onResponse(): void {
    this.hasNoResponse = false;
    if (this.isFollowed) clearTimeout(this.retryTimer);
    else this.retry(CATCH_UP_MS);
  }

  /** A request brought what the socket did not. */
  onCaughtUp(): void {
    this.isCaughtUp = true;
    this.onResponse();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.retryTimer);
  }

  private retry(afterMs: number): void {
    clearTimeout(this.retryTimer);
    if (!this.isClosed) this.retryTimer = setTimeout(this.recover, afterMs);
  }
}
