/**
 * Bundles the page into service/web/static/page. The build is reproducible.
 *
 *     node scripts/build.mjs            writes the files
 *     node scripts/build.mjs --check    checks that the files are current, and that no imports are circular
 */

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { importCycle } from "./cycles.mjs";

const HERE = dirname(dirname(fileURLToPath(import.meta.url)));
const TARGET = join(HERE, "../../service/web/static/page");
const PLAIN = ["apple-touch-icon.png", "favicon.svg", "icon-192.png", "icon-512.png"];
const OPTIONS = {
  absWorkingDir: HERE,
  bundle: true,
  write: false,
  format: "esm",
  conditions: ["source"],
  jsx: "automatic",
  jsxImportSource: "preact",
};

/** Builds the page; returns its files by path in the target, and the metafile. */
async function files() {
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    entryPoints: { page: "src/main.tsx", style: "src/styles/page.css" },
    outdir: TARGET,
    entryNames: "assets/[name]-[hash]",
    chunkNames: "assets/[name]-[hash]",
    splitting: true,
    minify: true,
    metafile: true,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
  });
  const made = new Map(
    outputFiles.map(({ path, contents }) => [relative(TARGET, path), Buffer.from(contents)]),
  );
  for (const name of PLAIN) made.set(name, await readFile(join(HERE, "src", name)));
  const languages = await allMessages();
  for (const messages of languages) {
    made.set(`manifests/${messages.language}.webmanifest`, await manifestIn(messages));
    made.set(`index.${messages.language}.html`, await indexIn(messages, metafile.outputs));
  }
  const codes = languages.map(({ language }) => language);
  made.set("service_worker.js", await serviceWorkerOf(made, codes));
  return { made, metafile };
}

/** The service worker, which knows the files of this build. */
async function serviceWorkerOf(made, languages) {
  const digest = createHash("sha256");
  for (const [path, contents] of [...made].sort()) digest.update(path).update(contents);
  const paths = [...made.keys()].sort();
  const known = {
    digest: digest.digest("hex").slice(0, 10),
    script: paths.find((path) => /^assets\/page-.*\.js$/.test(path)),
    files: paths.filter((path) => /\.(js|css|svg)$/.test(path)),
    languages: paths.filter((path) => languages.some((language) => path.startsWith(`assets/${language}-`))),
  };
  const { outputFiles } = await build({
    ...OPTIONS,
    entryPoints: ["src/worker/service_worker.ts"],
    minify: true,
    format: "iife",
    target: "es2022",
    define: { BUILD: JSON.stringify(known) },
  });
  return Buffer.from(outputFiles[0].contents);
}

/** Every language's messages. */
async function allMessages() {
  const { outputFiles } = await build({
    ...OPTIONS,
    entryPoints: ["src/messages/index.ts"],
    platform: "node",
  });
  const { LANGUAGES } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return Promise.all(Object.values(LANGUAGES).map((load) => load()));
}

/** The manifest in a language. */
async function manifestIn({ language, title, description }) {
  const manifest = JSON.parse(await readFile(join(HERE, "src/manifest.webmanifest"), "utf8"));
  const named = { name: title, short_name: title, description, lang: language, ...manifest };
  return Buffer.from(JSON.stringify(named));
}

/** index.html in a language, with the files as they are called now; its script and its words are loaded side by side. */
async function indexIn({ language, title, description, noScript }, outputs) {
  const url = (output) => `./${relative(TARGET, join(HERE, output))}`;
  const outputOf = (source) => Object.keys(outputs).find((path) => outputs[path].entryPoint === source);
  const page = outputOf("src/main.tsx");
  const preloads = [...neededAtOnce(outputs, [page, outputOf(`src/messages/${language}.ts`)])]
    .filter((output) => output !== page)
    .map((output) => `<link rel="modulepreload" href="${url(output)}" />`)
    .join("");
  const style = url(outputOf("src/styles/page.css"));
  const forReaders = noScript.replace("/docs", '<a href="./docs/">$&</a>');
  const values = { language, title, description, noScript: forReaders, style, preloads, page: url(page) };
  const index = await readFile(join(HERE, "src/index.html"), "utf8");
  return Buffer.from(index.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]));
}

/** The outputs that some of them import before they run. */
function neededAtOnce(outputs, roots) {
  const found = new Set();
  const visit = (output) => {
    if (found.has(output)) return;
    found.add(output);
    for (const { path, kind } of outputs[output].imports) if (kind === "import-statement") visit(path);
  };
  roots.forEach(visit);
  return found;
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
