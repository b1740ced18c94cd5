/** What is seldom wanted: help, colours, hints, giving up. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { type Theme, keepLikes, likes } from "../model/memory.ts";
import { showTheme } from "../model/theme.ts";
import type { Table } from "../table/table.ts";
import { Dialog } from "./dialog.tsx";
import { Help } from "./help.tsx";
import { Icon } from "./icon.tsx";
import { Link } from "./invite.tsx";
import { useHelpKey } from "./keys.ts";

const THEMES: readonly Theme[] = ["auto", "light", "dark"];

/** `table` is null where there is none. */
export function Menu({ table }: { table: Table | null }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [helping, setHelping] = useState(false);
  const [linking, setLinking] = useState(false);
  const [kept, setKept] = useState(likes());
  useHelpKey(() => setHelping(true));

  function like(changes: Partial<typeof kept>): void {
    keepLikes(changes);
    setKept(likes());
    showTheme();
    table?.deselect();
  }

  function nextTheme(): void {
    like({ theme: THEMES[(THEMES.indexOf(kept.theme) + 1) % THEMES.length] ?? "auto" });
  }

  function leave(event: FocusEvent & { currentTarget: Element }): void {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false);
  }

  return (
    <div class="menu" onFocusOut={leave} onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
      <button
        class="round"
        aria-label={text.table.menu}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="menu" />
      </button>
      {isOpen && (
        <div class="menu-list">
          <button onClick={() => setHelping(true)}>{text.table.help}</button>
          <button onClick={nextTheme}>{text.table.theme[kept.theme]}</button>
          <button onClick={() => like({ tips: !kept.tips })}>
            {kept.tips ? text.table.tipsOff : text.table.tipsOn}
          </button>
          {table && <button onClick={() => setLinking(true)}>{text.table.watchLink}</button>}
          {table && <TableDeeds table={table} />}
        </div>
      )}
      {table && linking && (
        <Dialog heading={text.table.watchLink} onClose={() => setLinking(false)}>
          <Link table={table} />
        </Dialog>
      )}
      {helping && <Help onClose={() => setHelping(false)} />}
    </div>
  );
}

function TableDeeds({ table }: { table: Table }): JSX.Element | null {
  if (table.game?.status === "finished" || table.game?.status === "aborted") return null;
  const mine = table.game?.players.find(
    ({ seat, resigned }) => table.keys.seats[seat] !== undefined && !resigned,
  );
  return (
    <>
      {table.game?.status === "active" && (
        <button onClick={() => table.replay(table.replayed === null ? table.lastStep : null)}>
          {text.replay.look}
        </button>
      )}
      {mine && table.game?.status === "active" && (
        <button onClick={() => confirm(text.table.resignSure) && table.resign(mine.seat)}>
          {text.table.resign}
        </button>
      )}
      {table.keys.owner && (
        <button onClick={() => confirm(text.table.abortSure) && table.abort()}>{text.table.abort}</button>
      )}
    </>
  );
}
