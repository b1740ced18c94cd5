/**
 * Writes src/schema.ts, and its types by their names as src/models.ts, from ../../schemas/openapi.json and asyncapi.json;
 * with --check says whether they are up to date.
 *
 * Both documents are made of the same types, so that one generator reads them as one document.
 */

import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import openapiTS, { astToString } from "openapi-typescript";

const SCHEMAS = new URL("../../../schemas/", import.meta.url);
const SOURCES = new URL("../src/", import.meta.url);
const HEAD = "/** Generated from schemas/openapi.json and schemas/asyncapi.json by `npm run generate`. */\n\n";
const SHORT_NAMES = { GameView: "Game", GameResult: "Result", ApiKeyView: "ApiKey" };

const read = async (name) => JSON.parse(await readFile(new URL(name, SCHEMAS), "utf8"));

const [openapi, asyncapi] = await Promise.all([read("openapi.json"), read("asyncapi.json")]);
openapi.components.schemas = { ...asyncapi.components.schemas, ...openapi.components.schemas };
const ast = await openapiTS(openapi, { immutable: true, alphabetize: true, defaultNonNullable: false });
const models = Object.entries(openapi.components.schemas)
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([name, { description }]) => {
    const comment = description === undefined ? "" : `/** ${description.replaceAll("\n", " ")} */\n`;
    return `${comment}export type ${SHORT_NAMES[name] ?? name} = components["schemas"]["${name}"];\n`;
  });
const texts = {
  "schema.ts": HEAD + astToString(ast),
  "models.ts": `${HEAD}import type { components } from "./schema.js";\n\n${models.join("\n")}`,
};

for (const [name, text] of Object.entries(texts)) {
  const file = new URL(name, SOURCES);
  if (!process.argv.includes("--check")) {
    await writeFile(file, text);
  } else if ((await readFile(file, "utf8")) !== text) {
    console.error(`src/${name} is not what schemas/ says: run \`npm run generate\`.`);
    process.exitCode = 1;
  }
}
