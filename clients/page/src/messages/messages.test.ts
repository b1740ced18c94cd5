import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { wares } from "../testing/games.ts";
import { de } from "./de.ts";
import { type Messages, en } from "./en.ts";
import { fr } from "./fr.ts";
import { ranges, typeset } from "./grammar.ts";
import SENTENCES from "./sentences/en.json";

const OTHERS: readonly Messages[] = [fr, de];

/** Texts that are the same as in English, and should be. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  fr: [
    "listed",
    "points",
    "lobby.api",
    "lobby.bots.expert",
    "create.timeouts.60",
    "create.timeouts.300",
    "game.menu",
    "replay.pause",
    "describe.spot",
    "score.total",
  ],
  de: [
    "listed",
    "lobby.level",
    "lobby.api",
    "create.bot",
    "create.editions.international",
    "replay.pause",
    "describe.spot",
  ],
};
const KEYS = /^help\.keyList\.\d+\.0$/;

/** What those texts are made with that need more than a number, a name, or a list of one. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  wares: [wares(7, 8, 9)],
  wareParts: [wares(7, 8, 9)],
  amounts: [wares(7, 8, 9), 4],
  told: ["player_joined", { player: "7", color: "8" }],
  "ship.lacking": [wares(7, 8, 9), 4, 5],
  "lobby.clock": [{ count: 7, unit: "minute" }],
  "lobby.ago": [{ count: 7, unit: "hour" }],
  "actionBar.islanderChosen": ["sea"],
  "describe.beside": [[["n", "sea"]]],
  "describe.tile": [["7", "8"]],
  stock: [wares(7, 8, 9)],
  "walk.tile": ["7", true],
  "walk.feature": [
    {
      kind: "sea",
      sides: ["n"],
      hasBoat: true,
      here: "7",
      wares: 4,
      open: 5,
      elsewhere: [["8", 9]],
    },
  ],
  "walk.around": [["n"], ["e"]],
  "asked.scores": [[["7", 8]]],
  "asked.left": [{ count: 7, unit: "minute" }],
  "asked.hurry": [{ count: 7, unit: "minute" }],
};
/** Each is a number, a name and a list of one. */
const ANY = ["7", "8", "9"];

type Text = string | ((...values: unknown[]) => unknown);

function textsOf(part: unknown, path = ""): [string, Text][] {
  if (typeof part === "string" || typeof part === "function") return [[path, part as Text]];
  return Object.entries(part as object).flatMap(([name, inner]) =>
    textsOf(inner, path === "" ? name : `${path}.${name}`),
  );
}

function valuesOf(path: string, english: Text): readonly unknown[] {
  return VALUES[path] ?? (typeof english === "string" ? [] : ANY.slice(0, english.length));
}

function made(text: Text | undefined, values: readonly unknown[]): string {
  return typeof text === "function" ? String(text(...values)) : (text ?? "");
}

function numbersIn(text: string): readonly string[] {
  return [...new Set(text.match(/(?<!Pos)\d/g))].sort();
}

for (const other of OTHERS) {
  const { language } = other;
  const english = textsOf(en);
  const texts = new Map(textsOf(other));

  test(`${language} has every text of English, and no other`, () => {
    assert.deepEqual([...texts.keys()].sort(), english.map(([path]) => path).sort());
  });

  test(`${language} leaves nothing in English`, () => {
    const left = english.filter(([path, text]) => {
      const values = valuesOf(path, text);
      return made(text, values) === made(texts.get(path), values);
    });
    assert.deepEqual(
      left
        .map(([path]) => path)
        .filter((path) => !KEYS.test(path))
        .sort(),
      [...(SAME[language] ?? [])].sort(),
    );
  });

  test(`${language} says every value that English says`, () => {
    for (const [path, text] of english) {
      const values = valuesOf(path, text);
      assert.deepEqual(numbersIn(made(texts.get(path), values)), numbersIn(made(text, values)), path);
    }
  });
}

test("plural forms are those of the language: French has one for nothing", () => {
  assert.deepEqual([0, 1, 2].map(en.points), ["0 points", "1 point", "2 points"]);
  assert.deepEqual([0, 1, 2].map(fr.points), ["0 point", "1 point", "2 points"]);
  assert.deepEqual([0, 1, 2].map(de.points), ["0 Punkte", "1 Punkt", "2 Punkte"]);
});

test("lists and times are the language's", () => {
  const names = ["Ana", "Bo", "Cy"];
  const all = [en, ...OTHERS];
  assert.deepEqual(
    all.map(({ listed }) => listed(names)),
    ["Ana, Bo and Cy", "Ana, Bo et Cy", "Ana, Bo und Cy"],
  );
  const time = { count: 5, unit: "minute" } as const;
  assert.deepEqual(
    all.map(({ lobby }) => lobby.ago(time)),
    ["5 minutes ago", "il y a 5 minutes", "vor 5 Minuten"],
  );
});

test("no name needs an article, an elision or a case", () => {
  for (const { score, islander, actionBar, away } of [en, ...OTHERS]) {
    const said = [score.find, actionBar.theirTurn, away.byClock, (name: string) => islander.of(name, "sea")];
    for (const say of said) assert.equal(say("Hugo").replace("Hugo", "Ana"), say("Ana"));
  }
});

test("each kind of islander and of ware has its words", () => {
  for (const { islander, actionBar, describe } of [en, ...OTHERS]) {
    const kinds = ["bridge", "island", "sea", "market", "other"];
    for (const say of [islander.at, describe.retrieve])
      assert.equal(new Set(kinds.map((kind) => say(kind, ""))).size, 5);
    for (const say of [actionBar.islanderChosen, actionBar.retrieveChosen])
      assert.equal(new Set(kinds.map(say)).size, 5);
    const edges = (["n", "e", "s", "w"] as const).flatMap((edge) =>
      kinds.map((kind) => describe.beside([[edge, kind]])),
    );
    assert.equal(new Set(edges).size, 20);
  }
  assert.equal(fr.islander.of("Ana", "sea"), "Pêcheur (Ana)");
  assert.equal(de.islander.of("Ana", "bridge"), "Muschelsammler von Ana");
  assert.deepEqual(
    [en, fr, de].map(({ islander }) => islander.wouldBring(6, "points", 5)),
    [
      "would bring a ship of 6 points; 5 tiles are missing",
      "rapporterait un navire à 6 points ; il manque 5 tuiles",
      "brächte ein Schiff (6 Punkte); 5 Karten fehlen noch",
    ],
  );
  assert.equal(de.islander.wouldBring(1, "fish", 1), "brächte 1 Fisch; 1 Seite ist noch offen");
  assert.equal(fr.islander.wouldBring(2, "shells", null), "rapporterait 2 coquillages");
  for (const { away } of [en, fr, de])
    for (const [policy, say] of Object.entries(away.late))
      for (const phase of ["place_tile", "take_ship", "islander"])
        assert.doesNotMatch(say(phase), /^(Then|Ensuite|Dann)/, `nothing comes any more: ${policy}`);
  for (const { actionBar } of [en, fr, de])
    assert.doesNotMatch(
      actionBar.retrieveChosen("sea"),
      /bring|rapport/,
      "the service says what is given up",
    );
  assert.equal(de.describe.cost.same(3, 1), "3 von einer anderen");
  assert.equal(
    de.describe.spot("einen Fischer in die Meeresfläche setzen"),
    "Einen Fischer in die Meeresfläche setzen",
  );
});

test("turns that follow each other are one range", () => {
  assert.deepEqual(
    ranges([3, 5, 7, 8, 9], (from, to) => `${from}–${to}`),
    ["3", "5", "7–9"],
  );
  assert.equal(fr.away.bot("Ana", [3]), "L’ordinateur a joué pour Ana au tour 3.");
  assert.equal(
    de.away.bot("Ana", [3, 4, 5, 8]),
    "Der Computer hat in den Zügen 3 bis 5 und 8 für Ana gespielt.",
  );
});

test("typography reaches every text, those of functions and of lists too", () => {
  const shout = (text: string): string => text.toUpperCase();
  const { plain, made, listed } = typeset(
    { plain: "a", made: (b: string) => `a${b}`, listed: [["a"]] },
    shout,
  );
  assert.deepEqual([plain, made("b"), listed], ["A", "AB", [["A"]]]);
});

/** What no text may have, by language; the spaces at which no line breaks are narrow in French. */
const UNTYPOGRAPHICAL: Readonly<Record<string, RegExp>> = {
  en: /['"„«»]|\.{3}| - |\d-\d|\u00a0/,
  fr: /['"“”„]|\.{3}| - |\d-\d|\u00a0|[^\u202f](?=[;!?»]|:(?!\d))|«(?!\u202f)/,
  de: /['"”«»]|\.{3}| - |\d-\d|\u00a0/,
};

for (const messages of [en, ...OTHERS])
  test(`${messages.language} has one typography, in the page's texts and in the service's`, () => {
    const english = new Map(textsOf(en));
    const wrong = UNTYPOGRAPHICAL[messages.language] as RegExp;
    const said = textsOf(messages).map(([path, text]) => made(text, valuesOf(path, english.get(path) ?? "")));
    const sentences = Object.keys(SENTENCES).map((name) => messages.told(name, { player: "7" }));
    assert.deepEqual(
      [...said, ...sentences].filter((one) => wrong.test(one)),
      [],
    );
  });

test("a cell is named by its way from the start tile", () => {
  const named = [en, fr, de].map(({ describe }) => [
    describe.at(0, 0),
    describe.at(0, -1),
    describe.at(-2, 0),
    describe.at(2, 3),
    describe.tileAt(0, 0),
    describe.tileAt(1, 0),
  ]);
  assert.deepEqual(named, [
    [
      "on the start tile",
      "1 north of the start",
      "2 west of the start",
      "3 south and 2 east of the start",
      "Start tile",
      "Tile 1 east of the start",
    ],
    [
      "sur la tuile de départ",
      "1 case au nord du départ",
      "2 cases à l’ouest du départ",
      "3 cases au sud et 2 à l’est du départ",
      "Tuile de départ",
      "Tuile à 1 case à l’est du départ",
    ],
    [
      "auf der Startkarte",
      "1 Feld nördlich der Startkarte",
      "2 Felder westlich der Startkarte",
      "3 Felder südlich und 2 östlich der Startkarte",
      "Startkarte",
      "Karte 1 Feld östlich der Startkarte",
    ],
  ]);
});

/** The texts that no code names as a whole, or with all around it, by their paths. */
function unused(part: object, path: string, code: string): string[] {
  return Object.entries(part).flatMap(([key, value]) => {
    const name = `${path}.${key}`;
    const read = [...code.matchAll(new RegExp(`\\b${name.replaceAll(".", "\\.")}\\b(\\.?)`, "g"))];
    if (read.length === 0) return [name];
    const isNested = typeof value === "object" && !Array.isArray(value) && read.every(([, dot]) => dot);
    return isNested ? unused(value, name, code) : [];
  });
}

test("every text is used", () => {
  const files = globSync("src/**/*.{ts,tsx}", { exclude: ["src/messages/**", "src/**/*.test.*"] });
  const code = files.map((file) => readFileSync(file, "utf8")).join("\n");
  assert.deepEqual(unused(en, "text", code), ["text.noScript"], "which is for the built page");
});
