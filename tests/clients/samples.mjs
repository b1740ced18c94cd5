/** Calls methods of both clients: `node samples.mjs BUILT URL SETTINGS CALLS`; the service rejects all requests. */

import process from "node:process";

const [, , built, url, settings, calls] = process.argv;
const { ApiKeyClient, ProblemError, SouthSeas } = await import(built);

const { token, creator_key: creatorKey, api_key: apiKey, language } = JSON.parse(settings);
const player = new SouthSeas({ url, token, creatorKey, apiKey, language });
const headers = { Authorization: `Bearer ${token}`, "Accept-Language": language };
const host = new ApiKeyClient({ url, apiKey });
for (const [isHost, call] of JSON.parse(calls)) {
  const method = new Function("client", "token", `return client.${call}`);
  const result = await Promise.resolve(method(isHost ? host : player, token)).catch((error) => error);
  if (typeof result === "string") await fetch(result, { headers });
  else if (!(result instanceof ProblemError)) throw result;
}
console.log("{}");
