import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../messages/en.ts";
import { fr } from "../messages/fr.ts";
import { language } from "../messages/index.ts";
import { showLanguage } from "./document_language.ts";

test("what the browser knows of the page, and installs, is in the language that is chosen", (t) => {
  t.after(() => language.use(en));
  const found = new Map<string, string>();
  const root = { lang: "en" };
  Object.assign(document, {
    documentElement: root,
    querySelector: (selector: string) => ({
      setAttribute: (name: string, value: string) => found.set(`${selector} ${name}`, value),
    }),
  });
  language.use(fr);
  showLanguage();
  assert.equal(root.lang, "fr");
  assert.deepEqual(Object.fromEntries(found), {
    "link[rel=manifest] href": "/manifests/fr.webmanifest",
    "meta[name=description] content": fr.description,
  });
});
