/** Components as text and markup, without a browser. */

import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";

/** The words that a component shows, and those that it has for screen readers only. */
export function textOf(component: VNode): string {
  const words = renderToString(component)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&nbsp;", " ");
  return words
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,:])/g, "")
    .trim();
}

/** The words of each element that a pattern of its opening tag finds, like `<tr class="winner"`. */
export function elements(component: VNode, name: string, attributes = ""): string[] {
  const pattern = new RegExp(`<${name}\\b(?=[^>]*${attributes})[^>]*>(.*?)</${name}>`, "gs");
  return [...renderToString(component).matchAll(pattern)].map(([, inside = ""]) =>
    inside
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
}
