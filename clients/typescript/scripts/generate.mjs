/**
 * Writes src/schema.ts from ../../schemas/openapi.json and asyncapi.json; with --check says whether it is up to date.
 *
 * Both documents are made of the same types, so that one generator reads them as one document: the socket's messages
 * are its schemas, and two unions of them, by who sends, are added.
 */

import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import openapiTS, { astToString } from "openapi-typescript";

const SCHEMAS = new URL("../../../schemas/", import.meta.url);
const WRITTEN = new URL("../src/schema.ts", import.meta.url);
const HEAD = "/** Generated from schemas/openapi.json and schemas/asyncapi.json by `npm run generate`. */\n\n";

const read = async (name) => JSON.parse(await readFile(new URL(name, SCHEMAS), "utf8"));

/** The messages that clients send ("receive", as the service sees it), or those of the service. */
function union(asyncapi, fromClient) {
  const asked = Object.values(asyncapi.operations).filter(({ action }) => action === "receive");
  const names = new Set(asked.flatMap(({ messages }) => messages.map(({ $ref }) => $ref.split("/").at(-1))));
  const messages = Object.values(asyncapi.components.messages).filter(({ name }) => names.has(name) === fromClient);
  return { anyOf: messages.map(({ payload }) => ({ $ref: payload.$ref })) };
}

const [openapi, asyncapi] = await Promise.all([read("openapi.json"), read("asyncapi.json")]);
openapi.components.schemas = {
  ...asyncapi.components.schemas,
  ...openapi.components.schemas,
  ClientMessage: union(asyncapi, true),
  ServerMessage: union(asyncapi, false),
};
const ast = await openapiTS(openapi, { immutable: true, alphabetize: true, defaultNonNullable: false });
const text = HEAD + astToString(ast);

if (!process.argv.includes("--check")) {
  await writeFile(WRITTEN, text);
} else if ((await readFile(WRITTEN, "utf8")) !== text) {
  console.error("src/schema.ts is not what schemas/ says: run `npm run generate`.");
  process.exitCode = 1;
}
