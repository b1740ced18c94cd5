/**
 * Plays the page's lesson as somebody who does what it suggests, and says what it explains, and when.
 *
 *     node scripts/lesson.mjs URL                  the lesson of the page; fails where it explains too little
 *     node scripts/lesson.mjs URL --search 300     the best of so many other seeds
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(dirname(fileURLToPath(import.meta.url)));
const [url = "http://localhost:8080", search, count = "100"] = process.argv.slice(2);
const outdir = await mkdtemp(join(tmpdir(), "south-seas-lesson-"));
try {
  await build({
    absWorkingDir: HERE,
    entryPoints: ["src/testing/lesson_run.ts"],
    inject: ["src/testing/browser.ts", "src/testing/language.ts"],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["source"],
  });
  const { runLesson, searchSeeds } = await import(join(outdir, "lesson_run.mjs"));
  const run = search === "--search" ? await searchSeeds(url, Number(count)) : await runLesson(url);
  console.log(JSON.stringify(run, null, 1));
  if (run.missing.length > 0) process.exitCode = 1;
} finally {
  await rm(outdir, { recursive: true });
}
