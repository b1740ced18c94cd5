// Unpacks the headless Chromium of @sparticuz/chromium into DIRECTORY: node scripts/chromium.mjs DIRECTORY
//
// DIRECTORY/chrome then starts it, with the package's own libraries and fonts, so that the machine needs neither.

import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";

const directory = resolve(process.argv[2] ?? "");
await rm(directory, { recursive: true, force: true });
await mkdir(directory, { recursive: true });

// The package unpacks into the temporary directory, and its libraries only where it believes to run in AWS Lambda.
process.env.TMPDIR = directory;
process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs24.x";
delete process.env.LD_LIBRARY_PATH;
delete process.env.FONTCONFIG_PATH;
const { default: chromium } = await import("@sparticuz/chromium");
const program = await chromium.executablePath();
// The package's configuration names fonts in the folders of AWS Lambda; without any font Chromium ends.
await writeFile(
  `${directory}/fonts/fonts.conf`,
  `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${directory}/fonts</dir><cachedir>${directory}/fonts/cache</cachedir></fontconfig>
`,
);
await writeFile(
  `${directory}/chrome`,
  `#!/bin/sh
export LD_LIBRARY_PATH='${process.env.LD_LIBRARY_PATH}' FONTCONFIG_PATH='${process.env.FONTCONFIG_PATH}'
exec '${program}' "$@"
`,
);
await chmod(`${directory}/chrome`, 0o755);
