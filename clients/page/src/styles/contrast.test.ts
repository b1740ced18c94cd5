import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const [BASE, SIDEBAR] = ["base", "sidebar"].map((name) => readFileSync(`src/styles/${name}.css`, "utf8"));
const GROUNDS = ["table", "panel", "raised", "accent-soft"];
/** WCAG 1.4.11. */
const LEAST = 3;

/** A colour in light and in dark, by the pattern of what it is the value of. */
function pair(css: string | undefined, pattern: string): string[] {
  const [, light, dark] =
    new RegExp(`${pattern}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css ?? "") ?? [];
  return [light ?? assert.fail(pattern), dark ?? assert.fail(pattern)];
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test("the frame of whoever is on turn is seen in every colour, in light and in dark", () => {
  for (const player of ["red", "blue", "green", "yellow", "black"])
    for (const ground of GROUNDS) {
      const inks = pair(SIDEBAR, `\\.ink-${player} \\{\\s*--ink`);
      pair(BASE, `--${ground}`).forEach((color, theme) => {
        const ratio = contrast(inks[theme] ?? "", color);
        assert.ok(ratio >= LEAST, `${player} on ${ground} in theme ${theme}: ${ratio.toFixed(2)}`);
      });
    }
});
