/** How it works: the rules' chapters in short, with pictures, and the keys. */

import type { Ship, Wares } from "south-seas-client";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Pictures } from "../board/pictures.ts";
import { text } from "../messages/index.ts";
import { LOBBY } from "../model/route.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { LearnButton } from "./lesson.tsx";
import { HELP_BOARDS, HELP_TILESET, HelpPicture } from "./help_picture.tsx";
import { ShipSigns } from "./ship_tooltip.tsx";
import { ShipFace, WarePile } from "./wares.tsx";

const JOBS = ["bridge", "island", "sea", "market"] as const;

/** One ship of each kind: wares by name, of the player's choice, and of the same kind (R6.3). */
const SHIPS: readonly Ship[] = [
  { id: "named", points: 5, cost: { bananas: 1, shells: 2, fish: 1, any: 0, same: [] } },
  { id: "any", points: 4, cost: { bananas: 0, shells: 0, fish: 0, any: 5, same: [] } },
  { id: "same", points: 3, cost: { bananas: 0, shells: 0, fish: 0, any: 0, same: [3, 1] } },
];

export function Help({ onClose }: { onClose: () => void }): JSX.Element {
  const pictures = usePictures();
  return (
    <Dialog heading={text.help.heading} onClose={onClose}>
      <Chapter {...text.help.place}>
        <HelpPicture pictures={pictures} board={HELP_BOARDS.place} label={text.help.place.picture} />
      </Chapter>
      <Chapter {...text.help.islander}>
        <ul class="jobs">
          {JOBS.map((kind) => (
            <li key={kind}>
              <HelpPicture pictures={pictures} board={HELP_BOARDS[kind]} />
              <p>{text.actionBar.islanderChosen(kind)}</p>
            </li>
          ))}
        </ul>
      </Chapter>
      <Chapter {...text.help.retrieve} />
      <Chapter {...text.help.finished}>
        <HelpPicture pictures={pictures} board={HELP_BOARDS.finished} label={text.help.finished.picture} />
        <Gain wares={{ bananas: 2, shells: 0, fish: 0 }} />
      </Chapter>
      <Chapter {...text.help.boat}>
        <HelpPicture pictures={pictures} board={HELP_BOARDS.boat} label={text.help.boat.picture} />
        <Gain wares={{ bananas: 0, shells: 0, fish: 3 }} />
      </Chapter>
      <Chapter {...text.help.market}>
        <HelpPicture pictures={pictures} board={HELP_BOARDS.surrounded} label={text.help.market.picture} />
      </Chapter>
      <Chapter {...text.help.ships}>
        <ul class="harbour">
          {SHIPS.map((one) => (
            <li key={one.id} class="ship">
              <ShipFace ship={one} />
            </li>
          ))}
        </ul>
        {SHIPS.map((one) => (
          <ShipSigns key={one.id} ship={one} />
        ))}
      </Chapter>
      <Chapter {...text.help.end} />
      <LearnButton />
      <a class="button" href={`${LOBBY}docs/rules/`}>
        {text.help.rules}
      </a>
      <h3>{text.help.keys}</h3>
      <dl class="keys">
        {text.help.keyList.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** The pictures of the default tile set, as long as the help is shown. */
function usePictures(): Pictures | null {
  const [pictures, setPictures] = useState<Pictures | null>(null);
  const [, redraw] = useState(0);
  useEffect(() => {
    const made = new Pictures(HELP_TILESET);
    setPictures(made);
    const ignore = made.observe(() => redraw((count) => count + 1));
    return () => {
      ignore();
      made.close();
    };
  }, []);
  return pictures;
}

interface ChapterProps {
  readonly heading: string;
  readonly words: string;
  readonly children?: ComponentChildren;
}

function Chapter({ heading, words, children }: ChapterProps): JSX.Element {
  return (
    <section class="chapter">
      <h3>{heading}</h3>
      <p>{words}</p>
      {children && <div class="pictures">{children}</div>}
    </section>
  );
}

/** What the islander of the picture beside it brings. */
function Gain({ wares }: { wares: Wares }): JSX.Element {
  return (
    <span class="gain" aria-hidden="true">
      <Icon name="following" /> <WarePile wares={wares} />
    </span>
  );
}
