/**
 * Writes src/schema.ts from ../../schemas/openapi.json and asyncapi.json; with --check says whether it is up to date.
 *
 * Both documents are made of the same types, so that one generator reads them as one document.
 */

import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import openapiTS, { astToString } from "openapi-typescript";

const SCHEMAS = new URL("../../../schemas/", import.meta.url);
const WRITTEN = new URL("../src/schema.ts", import.meta.url);
const HEAD = "/** Generated from schemas/openapi.json and schemas/asyncapi.json by `npm run generate`. */\n\n";

const read = async (name) => JSON.parse(await readFile(new URL(name, SCHEMAS), "utf8"));

const [openapi, asyncapi] = await Promise.all([read("openapi.json"), read("asyncapi.json")]);
openapi.components.schemas = { ...asyncapi.components.schemas, ...openapi.components.schemas };
const ast = await openapiTS(openapi, { immutable: true, alphabetize: true, defaultNonNullable: false });
const text = HEAD + astToString(ast);

if (!process.argv.includes("--check")) {
  await writeFile(WRITTEN, text);
} else if ((await readFile(WRITTEN, "utf8")) !== text) {
  console.error("src/schema.ts is not what schemas/ says: run `npm run generate`.");
  process.exitCode = 1;
}
