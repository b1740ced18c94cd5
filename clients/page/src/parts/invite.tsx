/** A table that waits for players: the link to send, or the seat to take. */

import type { Game } from "south-seas-client";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { likes, keepLikes } from "../model/memory.ts";
import { inviteLink } from "../model/route.ts";
import { nameOf } from "../model/story.ts";
import { service } from "../service.ts";
import type { Table } from "../table/table.ts";
import { Icon } from "./icon.tsx";

export function Invite({ table, game }: { table: Table; game: Game }): JSX.Element {
  const open = game.players.filter((player) => player.kind === "open").length;
  const seated = Object.keys(table.keys.seats).length > 0;
  return (
    <section class="dock waiting">
      {seated ? <h2>{text.dock.waiting(open)}</h2> : <Join table={table} game={game} />}
      {seated && (
        <>
          <p class="hint">{text.table.invite}</p>
          <Link table={table} />
          {table.keys.owner !== null && <Guests table={table} game={game} />}
        </>
      )}
    </section>
  );
}

/** The link to this table, to be copied; of a private one with what opens it. */
export function Link({ table }: { table: Table }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const link = inviteLink(table.id, table.keys.private ? table.keys.spectator : null);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(link);
    setCopied(true);
  }
  return (
    <div class="link">
      <input
        readOnly
        value={link}
        aria-label={text.table.link}
        onFocus={(event) => event.currentTarget.select()}
      />
      {"clipboard" in navigator && (
        <button class="primary" onClick={() => void copy()}>
          <Icon name={copied ? "check" : "link"} /> {copied ? text.table.copied : text.table.copy}
        </button>
      )}
    </div>
  );
}

/** Whoever has joined, for the owner, who may send them away. */
function Guests({ table, game }: { table: Table; game: Game }): JSX.Element | null {
  const guests = game.players.filter(
    (player) => player.kind === "human" && !(String(player.seat) in table.keys.seats),
  );
  if (guests.length === 0) return null;
  return (
    <p class="guests">
      {guests.map((player) => (
        <button key={player.seat} disabled={table.isBusy} onClick={() => table.sendAway(player.seat)}>
          {text.table.sendAway(nameOf(game, player.seat))}
        </button>
      ))}
    </p>
  );
}

function Join({ table, game }: { table: Table; game: Game }): JSX.Element {
  const [name, setName] = useState(likes().name);
  const [color, setColor] = useState("");
  const taken = game.players.map((player) => player.color);
  const free = (["red", "blue", "green", "yellow", "black"] as const).filter((one) => !taken.includes(one));

  function join(event: Event): void {
    event.preventDefault();
    keepLikes({ name });
    void table.doing(async () => {
      const asked = {
        name: name.trim() || text.lobby.defaultName,
        color: free.find((one) => one === color) ?? null,
      };
      const joined = await service.joinGame(table.id, asked, { token: table.keys.spectator });
      table.learn({ seats: { [joined.seat]: joined.token } });
    });
  }

  return (
    <form class="join" onSubmit={join}>
      <h2>{text.join.heading}</h2>
      <p class="hint">{text.join.invited(text.listed(present(game)))}</p>
      <label>
        {text.lobby.yourName}
        <input value={name} maxLength={32} required onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label>
        {text.join.color}
        <select value={color} onChange={(event) => setColor(event.currentTarget.value)}>
          <option value="">{text.join.any}</option>
          {free.map((one) => (
            <option key={one} value={one}>
              {text.colors[one]}
            </option>
          ))}
        </select>
      </label>
      <button class="primary" disabled={table.isBusy}>
        {text.join.go}
      </button>
    </form>
  );
}

function present(game: Game): string[] {
  return game.players.filter((player) => player.kind !== "open").map((player) => nameOf(game, player.seat));
}
