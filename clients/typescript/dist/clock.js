/** The service's clock, for countdowns that do not depend on the device's. */
/** The service tells its time in whole seconds. */
const PRECISION_MS = 1000;
/** An estimate of the service's time: each response narrows it down, and before the first it is the device's. */
export class ServerClock {
    /** What to add to `performance.now()`: at least, and at most. */
    #minOffsetMs = -Infinity;
    #maxOffsetMs = Infinity;
    /** Returns the time of the service. */
    now() {
        return new Date(performance.now() + this.#offsetMs());
    }
    /** Returns the seconds until a time of the service, as `turn.deadline`; 0 if it has passed. */
    secondsLeft(deadline) {
        return Math.max(0, Date.parse(deadline) - performance.now() - this.#offsetMs()) / 1000;
    }
    /**
     * Takes the time that a response tells, and when it was requested and received by `performance.now()`. A time that
     * contradicts earlier ones replaces them: the device slept, or a clock was set.
     */
    observe(told, sentAt, receivedAt) {
        const toldMs = Date.parse(told);
        if (Number.isNaN(toldMs))
            return;
        const min = toldMs - receivedAt;
        const max = toldMs + PRECISION_MS - sentAt;
        const agrees = min <= this.#maxOffsetMs && max >= this.#minOffsetMs;
        this.#minOffsetMs = agrees ? Math.max(min, this.#minOffsetMs) : min;
        this.#maxOffsetMs = agrees ? Math.min(max, this.#maxOffsetMs) : max;
    }
    #offsetMs() {
        if (this.#minOffsetMs === -Infinity)
            return Date.now() - performance.now();
        return (this.#minOffsetMs + this.#maxOffsetMs) / 2;
    }
}
