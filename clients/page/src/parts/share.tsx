/** Links to a game, each to be copied or scanned. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { isFramed } from "../model/frame.ts";
import { linkTo } from "../model/route.ts";
import type { StoredGame } from "../model/storage.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";

/** Around a code, in its modules; scanners need them. */
const QUIET = 4;

/** With which others join the game, or watch it, or see a step of it. */
export function invitation(game: StoredGame, step: number | null = null): string {
  const { id, private: isPrivate, spectator } = game;
  return linkTo(id, { spectator: isPrivate ? spectator : null }, step);
}

/** With which the same person plays on elsewhere: with everything that this browser may do. */
export function continuation({ id, private: isPrivate, owner, spectator, seats }: StoredGame): string {
  return linkTo(id, { owner, spectator: isPrivate ? spectator : null, seats });
}

interface ShareProps {
  readonly heading: string;
  /** What it is for. */
  readonly hint: string;
  readonly link: string;
  readonly onClose: () => void;
}

export function Share({ heading, hint, link, onClose }: ShareProps): JSX.Element {
  return (
    <Dialog heading={heading} onClose={onClose}>
      <div class="share">
        <Code of={link} />
        <p>{hint}</p>
        <Link link={link} />
      </div>
    </Dialog>
  );
}

/** A link to be copied. */
export function Link({ link }: { link: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(link);
    setCopied(true);
  }
  return (
    <div class="link">
      <input
        readOnly
        value={link}
        aria-label={text.game.link}
        onFocus={(event) => event.currentTarget.select()}
      />
      {!isFramed() && "clipboard" in navigator && (
        <button class="primary" onClick={() => void copy()}>
          <Icon name={copied ? "check" : "link"} /> {copied ? text.game.copied : text.game.copy}
        </button>
      )}
    </div>
  );
}

function Code({ of }: { of: string }): JSX.Element {
  const [{ size, path }, setDrawn] = useState({ size: 0, path: "" });
  useEffect(() => void draw(of).then(setDrawn, () => {}), [of]); // the link is there all the same
  const side = size + 2 * QUIET;
  return (
    <svg class="code" viewBox={`${-QUIET} ${-QUIET} ${side} ${side}`} role="img" aria-label={text.share.code}>
      <path d={path} />
    </svg>
  );
}

/** Draws each dark module of a code; few want one, so that a page loads what makes it only then. */
export async function draw(link: string): Promise<{ size: number; path: string }> {
  const { generate } = await import("lean-qr/nano");
  const code = generate(link);
  const line = Array.from({ length: code.size }, (_, place) => place);
  const dark = line.flatMap((y) => line.filter((x) => code.get(x, y)).map((x) => `M${x} ${y}h1v1h-1z`));
  return { size: code.size, path: dark.join("") };
}
