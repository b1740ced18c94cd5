/** A table on the screen: bar, board, dock, and what is beside it. */

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Board } from "../board/board.tsx";
import { Pictures } from "../board/pictures.ts";
import type { ViewRef } from "../board/view.ts";
import { text } from "../messages/index.ts";
import { keepTable } from "../model/memory.ts";
import { useFollowed } from "../model/observable.ts";
import { Table } from "../table/table.ts";
import { Dock } from "./dock.tsx";
import { Icon } from "./icon.tsx";
import { useKeys } from "./keys.ts";
import { Menu } from "./menu.tsx";
import { Notices } from "./notices.tsx";
import { usePageTitle } from "./page_title.ts";
import { Replay } from "./replay.tsx";
import { Side } from "./side.tsx";

interface TableScreenProps {
  readonly id: string;
  /** What the link opens the table with. */
  readonly token: string | null;
}

export function TableScreen({ id, token }: TableScreenProps): JSX.Element {
  const table = useMemo(
    () => new Table(keepTable(id, token === null ? {} : { spectator: token, private: true })),
    [id],
  );
  useEffect(() => () => table.close(), [table]);
  useFollowed(table);
  usePageTitle(table);
  return (
    <div class="table-screen">
      <Bar table={table} />
      {table.tileset && table.game ? (
        <Play table={table} tileset={table.tileset} />
      ) : (
        <main class="loading">
          <p>{whyLoading(table)}</p>
          {table.isMissing && (
            <a class="button" href="#">
              {text.back}
            </a>
          )}
        </main>
      )}
      <p class="unseen" aria-live="polite">
        {table.announcement}
      </p>
    </div>
  );
}

function whyLoading(table: Table): string {
  if (table.isMissing) return text.table.missing;
  return table.network.isOffline ? text.table.offline : text.table.loading;
}

function Play({ table, tileset }: { table: Table; tileset: NonNullable<Table["tileset"]> }): JSX.Element {
  const pictures = useMemo(() => new Pictures(tileset), [tileset]);
  const viewRef: ViewRef = useRef(null);
  const [isAside, setAside] = useState(false);
  useKeys(table, viewRef);
  return (
    <main class={isAside ? "play aside" : "play"} data-version={table.game?.version}>
      <Board table={table} pictures={pictures} viewRef={viewRef} />
      {table.replayed === null ? (
        <Dock table={table} pictures={pictures} viewRef={viewRef} />
      ) : (
        <Replay table={table} />
      )}
      <aside class="side">
        <Side table={table} pictures={pictures} />
      </aside>
      <button class="aside-toggle" aria-expanded={isAside} onClick={() => setAside(!isAside)}>
        {isAside ? text.table.less : text.table.more}
      </button>
      <Notices table={table} />
    </main>
  );
}

function Bar({ table }: { table: Table }): JSX.Element {
  const { game } = table;
  const turn = game?.turn;
  return (
    <header class="bar">
      <a class="round" href="#" aria-label={text.back}>
        <Icon name="back" />
      </a>
      <h1>{text.title}</h1>
      {turn && <span class="turn">{text.table.turn(turn.number)}</span>}
      {game && <span class="bag">{text.table.bagLeft(game.bag)}</span>}
      <span class="gap" />
      <span class={`connection ${table.network.status}`} role="status">
        {text.table.connection[table.network.status]}
      </span>
      <Menu table={table} />
    </header>
  );
}
