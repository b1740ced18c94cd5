/** Writes the models of the AsyncAPI document's messages in TypeScript: `node modelina.mjs DOCUMENT FOLDER`. */

import { readFile } from "node:fs/promises";
import process from "node:process";
import { TypeScriptFileGenerator } from "@asyncapi/modelina";

const [, , document, folder] = process.argv;
const generator = new TypeScriptFileGenerator({ modelType: "interface", enumType: "union", rawPropertyNames: true });
const input = JSON.parse(await readFile(document, "utf8"));
const models = await generator.generateToFiles(input, folder, { exportType: "named" });
console.log(models.map(({ modelName }) => modelName).join("\n"));
