/** What every language does with numbers, times and lists, by its own rules, and with the service's sentences. */

import type { Duration } from "../model/deadline.ts";

/** A text by the language's plural forms (CLDR); "#" in it is the number. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** The same members with any text in place of each. */
export type Translatable<Part> = Part extends string
  ? string
  : Part extends (...values: infer Values) => infer Made
    ? (...values: Values) => Translatable<Made>
    : { readonly [Name in keyof Part]: Translatable<Part[Name]> };

/** The helpers of a language; its locale is one of BCP 47, as "en-GB". */
export function grammar(locale: string, sentences: Readonly<Record<string, string>>) {
  const numbers = new Intl.NumberFormat(locale);
  const forms = new Intl.PluralRules(locale);
  const lists = new Intl.ListFormat(locale);
  const past = new Intl.RelativeTimeFormat(locale);

  function plural(count: number, texts: PluralForms): string {
    return (texts[forms.select(count)] ?? texts.other).replace("#", numbers.format(count));
  }

  /** What happened, as the service tells it; "" where this page does not know it yet. */
  function told(name: string, values: Readonly<Record<string, string>>): string {
    return (sentences[name] ?? "").replace(/\{(\w+)\}/g, (_, value: string) => values[value] ?? "");
  }

  /** Where a cell is, as the service says it. */
  function at(x: number, y: number): string {
    if (x === 0 && y === 0) return told("place.start", {});
    const [down, across] = [y < 0 ? "n" : "s", x < 0 ? "w" : "e"];
    const [number, further] = [Math.abs(y || x), numbers.format(Math.abs(x))];
    const form = forms.select(number) === "one" ? "one" : "other";
    const distance = told(`place.${y === 0 ? across : down}.${form}`, { number: numbers.format(number) });
    return told("place", {
      distance: x === 0 || y === 0 ? distance : told(`place.both.${across}`, { distance, number: further }),
    });
  }

  function inUnit(count: number, unit: string, unitDisplay: "long" | "narrow"): string {
    return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay }).format(count);
  }

  return {
    plural,
    /** A number with its noun. */
    counted: (count: number, one: string, other: string): string =>
      plural(count, { one: `# ${one}`, other: `# ${other}` }),
    listed: (parts: readonly string[]): string => lists.format(parts),
    /** How long, in words. */
    lasting: ({ count, unit }: Duration): string => inUnit(count, unit, "long"),
    /** How long ago, in words. */
    ago: ({ count, unit }: Duration): string => past.format(-count, unit),
    /** How long, as short as can be. */
    daysAndHours: (days: number, hours: number): string =>
      `${inUnit(days, "day", "narrow")} ${inUnit(hours, "hour", "narrow")}`,
    told,
    at,
  };
}

/** Numbers with neighbours together, each range in words: 3, 5, 7 to 12. */
export function ranges(numbers: readonly number[], range: (from: number, to: number) => string): string[] {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : range(from, to)));
}

export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The same messages with every text of them changed, as a language's typography wants it. */
export function typeset<Part>(messages: Part, change: (text: string) => string): Part {
  const set = (part: unknown): unknown => {
    if (typeof part === "string") return change(part);
    if (typeof part === "function") return (...values: unknown[]) => set(part(...values));
    if (Array.isArray(part)) return part.map(set);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, set(inner)]));
  };
  return set(messages) as Part;
}
