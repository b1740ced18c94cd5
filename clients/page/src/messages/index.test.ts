import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { SouthSeas } from "south-seas-client";
import { preferences, savePreferences } from "../model/storage.ts";
import { en } from "./en.ts";
import { LANGUAGES, language, nameOfLanguage, text } from "./index.ts";

function wants(...languages: string[]): void {
  Object.defineProperty(navigator, "languages", { value: languages, configurable: true });
}

beforeEach(() => {
  localStorage.clear();
  language.use(en);
});

test("the language is the chosen one, else the browser's first that there is, else English", async () => {
  for (const [wanted, found] of [
    [["pt-BR", "fr-CA", "de"], "fr"],
    [["de-AT"], "de"],
    [["pt"], "en"],
    [[], "en"],
  ] as const) {
    wants(...wanted);
    await language.load();
    assert.equal(text.language, found, wanted.join());
  }
  savePreferences({ language: "de" });
  wants("fr");
  await language.load();
  assert.equal(text.language, "de");
  savePreferences({ language: "toString" });
  await language.load();
  assert.equal(text.language, "fr");
});

test("another language is told to those who show it, remembered, and asked of the service", async () => {
  const asked: (string | null)[] = [];
  const service = new SouthSeas({
    url: "https://seas.example",
    language: () => text.language,
    fetch: async (_, options) => {
      asked.push(new Headers(options?.headers).get("Accept-Language"));
      return Response.json({ bots: [] });
    },
  });
  let told = 0;
  const ignore = language.observe(() => told++);
  await service.bots();
  await language.choose("fr");
  await service.bots();
  ignore();
  assert.deepEqual([text.title, told, preferences().language], ["Mers du Sud", 1, "fr"]);
  assert.deepEqual(asked, ["en", "fr"]);
});

test("a language that cannot be loaded changes nothing", async (t) => {
  t.mock.method(LANGUAGES, "de", async () => Promise.reject(new TypeError("no network")));
  await language.choose("de");
  assert.deepEqual([text.language, preferences().language], ["en", null]);
});

test("each language is called as its readers call it", () => {
  assert.deepEqual((["en", "fr", "de"] as const).map(nameOfLanguage), ["English", "français", "Deutsch"]);
});
