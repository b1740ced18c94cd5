/** A typed client of the South Seas service. */
export { ApiKeyClient, type ApiKeyOptions, type KeyRequestOptions } from "./api_key.js";
export type { Backoff, Retry } from "./backoff.js";
export { ServerClock } from "./clock.js";
export { PatchError, ProblemError, SeatReplacedError, SeatResignedError, SouthSeasError, UnreachableError, } from "./errors.js";
export { type SubscribeOptions, Subscription, type Status } from "./subscription.js";
export { type RequestOptions, newKey } from "./http.js";
export type { MoveChooser, PlayOptions } from "./play.js";
export { applyDiff, applyPatch } from "./patches.js";
export { type ActOptions, SouthSeas, type SouthSeasOptions, type LegalMovesOptions } from "./southseas.js";
export type * from "./types.js";
