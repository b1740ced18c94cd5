import assert from "node:assert/strict";
import { test } from "node:test";
import { renderToString } from "preact-render-to-string";
import { text } from "../messages/index.ts";
import { elements } from "../testing/render.ts";
import { Question } from "./question.tsx";

const asked = (
  <Question
    heading={text.game.resign}
    words={text.game.resignSure(null)}
    onYes={() => {}}
    onClose={() => {}}
  />
);

test("a question is a dialog of the page that is named and described, and begins at what does nothing", () => {
  const html = renderToString(asked);
  const [, label, description] =
    /<dialog role="alertdialog" aria-labelledby="(.+?)" aria-describedby="(.+?)"/.exec(html) ??
    assert.fail(html);
  assert.match(html, new RegExp(`<h2 id="${label}">${text.game.resign}</h2>`));
  assert.match(html, new RegExp(`id="${description}"[^>]*><p>Resign this game`));
  assert.deepEqual(elements(asked, "button", "autofocus"), [text.sure.no]);
  assert.deepEqual(elements(asked, "button", 'class="primary"'), [text.game.resign]);
});
