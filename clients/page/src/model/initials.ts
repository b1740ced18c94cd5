/** Names in two letters, for where there is no room for more: chosen so that those of a game differ. */

/** A name of up to three letters stays whole. */
const SHORT = 3;

export function initialsOf(names: readonly string[]): string[] {
  const spelled = names.map((name) => [...name]);
  const chosen = spelled.map((letters, index) => {
    const others = spelled.filter((other, at) => at !== index && isSame(other[0], letters[0]));
    return letters.length > SHORT ? abbreviated(letters, others) : letters.join("");
  });
  return chosen.map((one, seat) =>
    chosen.some((other, at) => at !== seat && isSame(one, other)) ? `${[...one][0]}${seat + 1}` : one,
  );
}

/** The first letter, and the first one that others that begin alike do not have at its place, else at their end. */
function abbreviated(letters: readonly string[], others: readonly (readonly string[])[]): string {
  const [first = "", ...rest] = letters;
  const second = rest.find(
    (letter, at) => letter.trim() !== "" && others.every((other) => !isSame(other[at + 1] ?? letter, letter)),
  );
  return first + (second ?? letters.at(-1));
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  return one?.toLowerCase() === other?.toLowerCase();
}
