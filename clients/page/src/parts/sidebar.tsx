/** What is beside the board: players, ships, and more in tabs. */

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { Pictures } from "../board/pictures.ts";
import { text } from "../messages/index.ts";
import type { GameSession } from "../session/game_session.ts";
import { Log } from "./log.tsx";
import { Moves } from "./moves.tsx";
import { Players } from "./players.tsx";
import { scrollSign } from "./scroll_sign.ts";
import { Ships } from "./ships.tsx";
import { TilesLeft } from "./tiles_left.tsx";

const TABS = ["log", "tiles", "moves"] as const;
type Tab = (typeof TABS)[number];

interface SidebarProps {
  readonly session: GameSession;
  readonly pictures: Pictures;
}

export function Sidebar({ session, pictures }: SidebarProps): JSX.Element {
  return (
    <>
      <Ships session={session} />
      <Players session={session} />
      <Tabs session={session} pictures={pictures} />
    </>
  );
}

function Tabs({ session, pictures }: SidebarProps): JSX.Element {
  const [tab, setTab] = useState<Tab>("log");
  const id = useId();

  function steer(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? tab;
    setTab(next);
    document.getElementById(`${id}-${next}`)?.focus();
  }

  return (
    <section class="tabs">
      <div role="tablist" onKeyDown={steer}>
        {TABS.map((one) => (
          <button
            key={one}
            id={`${id}-${one}`}
            role="tab"
            aria-selected={one === tab}
            aria-controls={`${id}-panel`}
            tabIndex={one === tab ? 0 : -1}
            onClick={() => setTab(one)}
          >
            {one === "tiles" && session.game ? text.game.bagLeft(session.game.bag) : text.game[one]}
          </button>
        ))}
      </div>
      <div
        ref={scrollSign}
        id={`${id}-panel`}
        class="tab-panel"
        role="tabpanel"
        aria-labelledby={`${id}-${tab}`}
        data-part="panel"
      >
        {tab === "log" && <Log session={session} />}
        {tab === "tiles" && <TilesLeft session={session} pictures={pictures} />}
        {tab === "moves" && <Moves session={session} />}
      </div>
    </section>
  );
}
