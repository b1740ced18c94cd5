/** Whether the service can be reached: what the socket says, and what requests without an answer say. */

import type { Status } from "south-seas-client";

/** How long after a request without an answer it is tried again. */
const AGAIN_MS = 3000;

export class Network {
  private socket: Status = "connecting";
  private isLost = false;
  private again: ReturnType<typeof setTimeout> | undefined;

  /** `recover` does again what had no answer. */
  constructor(private readonly recover: () => void) {}

  /** Connected only where requests are answered as well. */
  get status(): Status {
    return this.isLost && this.socket === "connected" ? "reconnecting" : this.socket;
  }

  /** Whether requests have no answer. */
  get isOffline(): boolean {
    return this.isLost;
  }

  became(status: Status): void {
    this.socket = status;
    if (status === "connected" && this.isLost) this.tryAgain(0);
  }

  /** A request had no answer. */
  lost(): void {
    this.isLost = true;
    this.tryAgain(AGAIN_MS);
  }

  /** Nothing waits for an answer: the socket alone tells. */
  mayBeBack(): void {
    if (this.socket === "connected") this.back();
  }

  /** A request was answered. */
  back(): void {
    this.isLost = false;
    clearTimeout(this.again);
  }

  close(): void {
    clearTimeout(this.again);
  }

  private tryAgain(afterMs: number): void {
    clearTimeout(this.again);
    this.again = setTimeout(this.recover, afterMs);
  }
}
