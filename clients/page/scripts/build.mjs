/**
 * Bundles the page into service/web/static/page. The build is reproducible.
 *
 *     node scripts/build.mjs            writes the files
 *     node scripts/build.mjs --check    checks that the files are current, and that no imports are circular
 */

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { importCycle } from "./cycles.mjs";

const HERE = dirname(dirname(fileURLToPath(import.meta.url)));
const TARGET = join(HERE, "../../service/web/static/page");
const PLAIN = ["apple-touch-icon.png", "favicon.svg", "icon-192.png", "icon-512.png", "manifest.webmanifest"];

/** Builds the page; returns its files by path in the target, and the metafile. */
async function files() {
  const { outputFiles, metafile } = await build({
    entryPoints: { page: join(HERE, "src/main.tsx"), style: join(HERE, "src/styles/page.css") },
    outdir: "/",
    absWorkingDir: HERE,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    conditions: ["source"],
    jsx: "automatic",
    jsxImportSource: "preact",
  });
  const made = new Map();
  let index = await readFile(join(HERE, "src/index.html"), "utf8");
  for (const { path, contents } of outputFiles) {
    const [, name, ending] = /(\w+)\.(\w+)$/.exec(path);
    const hashed = `${name}-${createHash("sha256").update(contents).digest("hex").slice(0, 10)}.${ending}`;
    index = index.replace(`/assets/${name}.${ending}`, `/assets/${hashed}`);
    made.set(`assets/${hashed}`, Buffer.from(contents));
  }
  made.set("index.html", Buffer.from(index));
  for (const name of PLAIN) made.set(name, await readFile(join(HERE, "src", name)));
  made.set("service_worker.js", await serviceWorkerOf(made));
  return { made, metafile };
}

/** The service worker, which knows the files of this build. */
async function serviceWorkerOf(made) {
  const digest = createHash("sha256");
  for (const [path, contents] of [...made].sort()) digest.update(path).update(contents);
  const paths = [...made.keys()].sort().map((path) => `/${path}`);
  const known = {
    digest: digest.digest("hex").slice(0, 10),
    script: paths.find((path) => /^\/assets\/page-.*\.js$/.test(path)),
    files: paths.filter((path) => /\.(js|css|svg)$/.test(path)),
  };
  const { outputFiles } = await build({
    entryPoints: ["src/worker/service_worker.ts"],
    absWorkingDir: HERE,
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    define: { BUILD: JSON.stringify(known) },
  });
  return Buffer.from(outputFiles[0].contents);
}

async function present() {
  const entries = await readdir(TARGET, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(TARGET.length + 1));
}

async function check(made, metafile) {
  const cycle = importCycle(metafile);
  if (cycle !== null) {
    console.error(`circular import: ${cycle.join(" -> ")}`);
    process.exitCode = 1;
  }
  const there = await present();
  const wrong = there.filter((path) => !made.has(path));
  for (const [path, contents] of made) {
    if (!there.includes(path) || !contents.equals(await readFile(join(TARGET, path)))) wrong.push(path);
  }
  if (wrong.length === 0) return;
  console.error(`outdated files: ${wrong.join(", ")}; run \`npm run build -w page\``);
  process.exitCode = 1;
}

async function write(made) {
  for (const path of await present()) if (!made.has(path)) await rm(join(TARGET, path));
  for (const [path, contents] of made) {
    await mkdir(dirname(join(TARGET, path)), { recursive: true });
    await writeFile(join(TARGET, path), contents);
    console.log(`${path}: ${contents.length} bytes, ${gzipSync(contents).length} gzipped`);
  }
}

const { made, metafile } = await files();
await (process.argv.includes("--check") ? check(made, metafile) : write(made));
