/** A game on the screen: top bar, board, action bar and sidebar. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Board } from "../board/board.tsx";
import { Pictures } from "../board/pictures.ts";
import type { ViewRef } from "../board/view.ts";
import { text } from "../messages/index.ts";
import { useBack } from "../model/back.ts";
import { cellsOfIslanders } from "../model/cells.ts";
import { isFramed } from "../model/frame.ts";
import { LOBBY, type Tokens, pathOf } from "../model/route.ts";
import { saveOpenedGame } from "../model/storage.ts";
import { useObservable } from "../model/observable.ts";
import { GameSession } from "../session/game_session.ts";
import { ownGames } from "../session/own_games.ts";
import { ActionBar } from "./action_bar.tsx";
import { useWarning } from "./announcements.tsx";
import { useAsked } from "./asked.ts";
import { Icon } from "./icon.tsx";
import { Lesson } from "./lesson.tsx";
import { useKeyboardShortcuts, useTouches } from "./keyboard_shortcuts.ts";
import { Menu } from "./menu.tsx";
import { useNews, usePageTitle } from "./page_title.ts";
import { Recap } from "./recap.tsx";
import { Replay } from "./replay.tsx";
import { scrollSign } from "./scroll_sign.ts";
import { Sidebar } from "./sidebar.tsx";

interface GameScreenProps {
  readonly id: string;
  /** Those in the link. */
  readonly tokens: Tokens | null;
  /** The step in the link, at which a replay is opened. */
  readonly step: number | null;
}

export function GameScreen({ id, tokens, step }: GameScreenProps): JSX.Element {
  const session = useMemo(() => new GameSession(saveOpenedGame(id, tokens)), [id, tokens]);
  useEffect(() => () => session.close(), [session]);
  const pictures = usePictures(session.tilesetId);
  useEffect(() => ownGames.watch(), []);
  useObservable(session);
  usePageTitle(useNews(session));
  useTouches(session);
  useAsked(session);
  useWarning(session.fatal);
  useEffect(() => {
    if (step !== null) session.replay(step);
  }, [session, step]);
  return (
    <div class="game-screen">
      {!isFramed() && <Bar session={session} />}
      {session.tileset && session.game && pictures ? (
        <Play session={session} pictures={pictures} />
      ) : (
        <main class="loading">
          <p>{whyLoading(session)}</p>
          {session.fatal !== null && <ToLobby />}
        </main>
      )}
    </div>
  );
}

function whyLoading(session: GameSession): string {
  return session.fatal ?? (session.network.isOffline ? text.game.offline : text.game.loading);
}

/** The pictures of a tile set, as soon as its id is known. */
function usePictures(tileset: string | null): Pictures | null {
  const pictures = useMemo(() => (tileset === null ? null : new Pictures(tileset)), [tileset]);
  useEffect(() => () => pictures?.close(), [pictures]);
  return pictures;
}

function Play({ session, pictures }: { session: GameSession; pictures: Pictures }): JSX.Element {
  const viewRef: ViewRef = useRef(null);
  const [isAside, setAside] = useState(false);
  const toggle = useRef<HTMLButtonElement>(null);
  const { game, located, pointedOut } = session;
  const isShown = located !== null || (game !== null && cellsOfIslanders(game, pointedOut).length > 0);
  // What is shown on the board is seen only without the sheet over it.
  useLayoutEffect(() => {
    if (!isShown || !isAside) return;
    setAside(false);
    // What it was chosen with goes with the sheet.
    toggle.current?.focus({ preventScroll: true });
  }, [located, pointedOut]);
  useBack(isAside, () => setAside(false));
  useEndOfChoice(session, () => setAside(false));
  const hint = session.replayed === null ? session.hint : null;
  useKeyboardShortcuts(session, viewRef);
  useNextInSight(session);
  return (
    <main
      class={isAside ? "play aside" : "play"}
      data-version={session.game?.version}
      data-hint={hint?.about}
    >
      {hint && <Lesson session={session} hint={hint} />}
      <Board session={session} pictures={pictures} viewRef={viewRef} />
      {session.isRecap ? (
        <Recap session={session} pictures={pictures} />
      ) : session.replayed !== null ? (
        <Replay session={session} />
      ) : session.fatal !== null ? (
        <Gone why={session.fatal} />
      ) : (
        <ActionBar session={session} pictures={pictures} viewRef={viewRef} />
      )}
      <aside ref={scrollSign} class="sidebar">
        <Sidebar session={session} pictures={pictures} />
      </aside>
      {isFramed() && (
        <div class="framed-menu">
          <Menu session={session} />
        </div>
      )}
      <button ref={toggle} class="aside-toggle" aria-expanded={isAside} onClick={() => setAside(!isAside)}>
        {isAside ? text.game.less : text.game.more}
      </button>
    </main>
  );
}

/** The sheet that was opened during a choice is about it: with the choice it goes. */
function useEndOfChoice({ decider, game }: GameSession, onEnd: () => void): void {
  const asked = decider === null ? null : `${game?.turn?.number} ${game?.turn?.phase} ${decider}`;
  useEffect(() => (asked === null ? undefined : onEnd), [asked]);
}

/** Instead of what is to be done in a game that can no longer be read. */
function Gone({ why }: { why: string }): JSX.Element {
  return (
    <section class="action-bar" aria-label={text.asked.bar} data-part="actions">
      <p class="hint">{why}</p>
      <div class="buttons">
        <ToLobby />
      </div>
    </section>
  );
}

function ToLobby(): JSX.Element {
  return (
    <a class="button" href={LOBBY}>
      {text.back}
    </a>
  );
}

/** Brings what is to be done next into sight, where the page is longer than the screen; the board does so by itself. */
function useNextInSight({ decider, game, choices, selection, fatal }: GameSession): void {
  const isOver = game?.status === "finished" || fatal !== null;
  const isShipAsked = choices.ships.length > 0 && selection.ship === null;
  const { cell, spot, ship } = selection;
  const isChosen = cell !== null || spot !== null || ship !== null;
  const partOf = (part: string): Element | null => document.querySelector(`[data-part=${part}]`);
  useEffect(() => {
    if (decider !== null && isShipAsked) partOf("ships")?.scrollIntoView({ block: "nearest" });
    if (isOver) partOf("actions")?.scrollIntoView({ block: "end" });
    // Where they lie over the words they are there, and the board stays.
    if (isChosen) partOf("actions")?.querySelector(".buttons")?.scrollIntoView({ block: "nearest" });
  }, [decider, isOver, isShipAsked, cell, spot, ship]);
}

/** The way to the next game that waits for this player. */
function NextGame({ current }: { current: string }): JSX.Element | null {
  useObservable(ownGames);
  const waiting = ownGames.waitingBeside(current);
  const [next] = waiting;
  return next ? (
    <a class="button next-game" href={pathOf(next.id)}>
      <Icon name="play" /> <b aria-hidden="true">{waiting.length}</b>
      <span class="words">{text.game.nextGame(waiting.length)}</span>
    </a>
  ) : null;
}

export function Bar({ session }: { session: GameSession }): JSX.Element {
  const { game } = session;
  const turn = game?.turn;
  const { status } = session.network;
  return (
    <header class="bar">
      <a class="round" href={LOBBY} aria-label={text.back}>
        <Icon name="back" />
      </a>
      <h1>{text.title}</h1>
      {turn && <span class="turn">{text.game.turn(turn.number)}</span>}
      {game && <span class="bag">{text.game.bagLeft(game.bag)}</span>}
      <span class="gap" />
      <NextGame current={session.id} />
      {session.fatal === null && (
        <span class={`connection ${status === "http" ? "connected" : status}`}>
          {text.game.connection[status]}
        </span>
      )}
      <Menu session={session} />
    </header>
  );
}
