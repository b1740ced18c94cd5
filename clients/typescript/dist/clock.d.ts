/** The service's clock, for countdowns that do not depend on the device's. */
/** An estimate of the service's time: each response narrows it down, and before the first it is the device's. */
export declare class ServerClock {
    #private;
    /** Returns the time of the service. */
    now(): Date;
    /** Returns the seconds until a time of the service, as `turn.deadline`; 0 if it has passed. */
    secondsLeft(deadline: string): number;
    /**
     * Takes the time that a response tells, and when it was requested and received by `performance.now()`. A time that
     * contradicts earlier ones replaces them: the device slept, or a clock was set.
     */
    observe(told: string, sentAt: number, receivedAt: number): void;
}
