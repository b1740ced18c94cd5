/** Runs the unit tests of the page's modules with Node's own runner: node scripts/test.mjs ['src/**\/*.bench.ts'] */

import { spawnSync } from "node:child_process";
import { glob, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(dirname(fileURLToPath(import.meta.url)));
const TESTS = process.argv[2] ?? "src/**/*.test.{ts,tsx}";
const outdir = await mkdtemp(join(tmpdir(), "south-seas-page-"));
try {
  const { metafile } = await build({
    absWorkingDir: HERE,
    entryPoints: await Array.fromAsync(glob(TESTS, { cwd: HERE })),
    inject: ["src/testing/browser.ts", "src/testing/language.ts", "src/testing/offline.ts"],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    metafile: true,
    platform: "node",
    format: "esm",
    sourcemap: "inline",
    conditions: ["source"],
    define: { "import.meta.url": '"https://seas.example/assets/page.js"' },
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  const files = Object.keys(metafile.outputs).map((path) => join(HERE, path));
  const finished = spawnSync(
    process.execPath,
    ["--enable-source-maps", "--test", "--test-isolation=none", ...files],
    { cwd: HERE, stdio: "inherit" },
  );
  process.exitCode = finished.status ?? 1;
} finally {
  await rm(outdir, { recursive: true });
}
