/** Whether the service can be reached: what the socket says, and what requests without an answer say. */

import type { Status } from "south-seas-client";

/** How long after a request without an answer it is tried again. */
const RETRY_MS = 3000;

export class Network {
  private socket: Status = "connecting";
  private hasNoResponse = false;
  private isClosed = false;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;

  /** `recover` does again what had no answer. */
  constructor(private readonly recover: () => void) {}

  /** Connected only where requests are answered as well. */
  get status(): Status {
    return this.hasNoResponse && this.socket === "connected" ? "reconnecting" : this.socket;
  }

  /** Whether requests have no answer. */
  get isOffline(): boolean {
    return this.hasNoResponse;
  }

  setSocketStatus(status: Status): void {
    this.socket = status;
    if (status === "connected" && this.hasNoResponse) this.retry(0);
  }

  /** A request had no answer. */
  onNoResponse(): void {
    this.hasNoResponse = true;
    this.retry(RETRY_MS);
  }

  /** Nothing waits for an answer: the socket alone tells. */
  onRecovered(): void {
    if (this.socket === "connected") this.onResponse();
  }

  /** A request was answered. */
  onResponse(): void {
    this.hasNoResponse = false;
    clearTimeout(this.retryTimer);
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
