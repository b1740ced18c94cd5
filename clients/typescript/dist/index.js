/** A typed client of the South Seas service. */
export { ApiKeyClient } from "./api_key.js";
export { ServerClock } from "./clock.js";
export { PatchError, ProblemError, SeatReplacedError, SeatResignedError, SouthSeasError, UnreachableError, } from "./errors.js";
export { Subscription } from "./subscription.js";
export { newKey } from "./http.js";
export { applyDiff, applyPatch } from "./patches.js";
export { SouthSeas } from "./southseas.js";
