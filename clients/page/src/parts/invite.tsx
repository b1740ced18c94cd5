/** A game that waits for players: the link to send, or the seat to take. */

import type { Game } from "south-seas-client";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { preferences, savePreferences } from "../model/storage.ts";
import { nameOf } from "../model/event_sentences.ts";
import { service } from "../service.ts";
import type { GameSession } from "../session/game_session.ts";
import { leave, removePlayer } from "../session/seats.ts";
import { Icon } from "./icon.tsx";
import { Link, Share, invitation } from "./share.tsx";

export function Invite({ session, game }: { session: GameSession; game: Game }): JSX.Element {
  const open = game.players.filter((player) => player.kind === "open").length;
  const seated = session.isSeated;
  return (
    <section class="action-bar waiting" aria-label={text.asked.bar} data-part="actions">
      {seated ? <h2>{text.actionBar.waiting(open)}</h2> : <Join session={session} game={game} />}
      {seated && (
        <>
          <p class="hint">{text.game.invite}</p>
          <Invitation session={session} />
          {session.credentials.owner !== null ? (
            <Guests session={session} game={game} />
          ) : (
            <Leave session={session} />
          )}
        </>
      )}
    </section>
  );
}

/** The link for others, and its code for whoever sits beside. */
function Invitation({ session }: { session: GameSession }): JSX.Element {
  const [isScanned, setScanned] = useState(false);
  const link = invitation(session.credentials);
  return (
    <>
      <Link link={link} />
      <button onClick={() => setScanned(true)}>
        <Icon name="code" /> {text.share.code}
      </button>
      {isScanned && (
        <Share
          heading={text.share.of(true)}
          hint={text.share.ofHint(true)}
          link={link}
          onClose={() => setScanned(false)}
        />
      )}
    </>
  );
}

/** Whoever has joined, for the owner, who may send them away. */
function Guests({ session, game }: { session: GameSession; game: Game }): JSX.Element | null {
  const guests = game.players.filter(
    (player) => player.kind === "human" && !(String(player.seat) in session.credentials.seats),
  );
  if (guests.length === 0) return null;
  return (
    <p class="guests">
      {guests.map((player) => (
        <button
          key={player.seat}
          disabled={session.isBusy}
          onClick={() => removePlayer(session, player.seat)}
        >
          {text.game.sendAway(nameOf(game, player.seat))}
        </button>
      ))}
    </p>
  );
}

/** For a player who has joined and changes their mind. */
function Leave({ session }: { session: GameSession }): JSX.Element {
  const [seat = ""] = Object.keys(session.credentials.seats);
  return (
    <p class="guests">
      <button disabled={session.isBusy} onClick={() => leave(session, seat)}>
        {text.game.leave}
      </button>
    </p>
  );
}

function Join({ session, game }: { session: GameSession; game: Game }): JSX.Element {
  const [name, setName] = useState(preferences().name);
  const [color, setColor] = useState("");
  const taken = game.players.map((player) => player.color);
  const free = (["red", "blue", "green", "yellow", "black"] as const).filter((one) => !taken.includes(one));

  function join(event: Event): void {
    event.preventDefault();
    savePreferences({ name });
    void session.runOperation(async () => {
      const asked = {
        name: name.trim() || text.lobby.defaultName,
        color: free.find((one) => one === color) ?? null,
      };
      const joined = await service.joinGame(session.id, asked, { token: session.credentials.spectator });
      session.addTokens({ seats: { [joined.seat]: joined.token } });
    });
  }

  return (
    <form class="join" onSubmit={join}>
      <h2>{text.join.heading}</h2>
      <p class="hint">{text.join.invited(text.listed(present(game)))}</p>
      <label>
        {text.lobby.yourName}
        <input
          value={name}
          maxLength={32}
          required
          onInput={(event) => {
            setName(event.currentTarget.value);
            session.dismiss();
          }}
        />
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
      <button class="primary" disabled={session.isBusy}>
        {text.join.go}
      </button>
    </form>
  );
}

function present(game: Game): string[] {
  return game.players.filter((player) => player.kind !== "open").map((player) => nameOf(game, player.seat));
}
