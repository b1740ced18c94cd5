/** Unit tests have no network: what is asked would be answered at any time, in whatever test runs then. */

import assert from "node:assert/strict";

globalThis.fetch = async (url) => {
  queueMicrotask(() => assert.fail(`the test does not answer a request for ${String(url)}`));
  throw new TypeError("there is no network");
};
