/** What is seldom wanted: help, language, colours, hints, giving up. */

import type { Player } from "south-seas-client";
import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { LANGUAGES, isLanguage, language, nameOfLanguage, text } from "../messages/index.ts";
import { useBack } from "../model/back.ts";
import { type Theme, savePreferences, preferences } from "../model/storage.ts";
import { showTheme } from "../model/theme.ts";
import { answer, canNotify } from "../session/attention.ts";
import type { GameSession } from "../session/game_session.ts";
import { abort, resign } from "../session/seats.ts";
import { Check } from "./check.tsx";
import { Help } from "./help.tsx";
import { Icon } from "./icon.tsx";
import { useHelpShortcut } from "./keyboard_shortcuts.ts";
import { Blocked } from "./notices.tsx";
import { type Asked, Question } from "./question.tsx";
import { ownSeat, resignerOf } from "./resigned.ts";
import { scrollSign } from "./scroll_sign.ts";
import { Share, continuation, invitation } from "./share.tsx";

const THEMES: readonly Theme[] = ["auto", "light", "dark"];

/** `session` is null in the lobby. */
export function Menu({ session }: { session: GameSession | null }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [helping, setHelping] = useState(false);
  const [shared, setShared] = useState<"game" | "seat" | null>(null);
  const [checking, setChecking] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [kept, setKept] = useState(preferences());
  const [isBlocked, setBlocked] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  useHelpShortcut(() => setHelping(true));
  useBack(isOpen, () => setOpen(false));

  const isWaiting = session?.game?.status === "waiting";

  function like(changes: Partial<typeof kept>): void {
    savePreferences(changes);
    setKept(preferences());
    showTheme();
    session?.deselect();
  }

  async function notify(isWanted: boolean): Promise<void> {
    setBlocked(await answer(isWanted));
    setKept(preferences());
  }

  function nextTheme(): void {
    like({ theme: THEMES[(THEMES.indexOf(kept.theme) + 1) % THEMES.length] ?? "auto" });
  }

  function leave(event: FocusEvent & { currentTarget: Element }): void {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false);
  }

  function close({ key, target }: KeyboardEvent): void {
    if (key !== "Escape" || !isOpen || (target as Element).closest("dialog")) return;
    setOpen(false);
    opener.current?.focus();
  }

  return (
    <div class="menu" onFocusOut={leave} onKeyDown={close}>
      <button
        ref={opener}
        class="round"
        aria-label={text.game.menu}
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen);
          setBlocked(false);
        }}
      >
        <Icon name="menu" />
      </button>
      {isOpen && (
        <div class="menu-list">
          <div ref={scrollSign} class="groups">
            <Group name={text.game.page}>
              <button onClick={() => setHelping(true)}>{text.game.help}</button>
              <LanguageChoice />
              <button onClick={nextTheme}>{text.game.theme[kept.theme]}</button>
              <button onClick={() => like({ tips: !kept.tips })}>
                {kept.tips ? text.game.tipsOff : text.game.tipsOn}
              </button>
            </Group>
            <Group name={text.game.signals}>
              <button onClick={() => like({ sound: !kept.sound })}>{text.notify.sound(kept.sound)}</button>
              {"vibrate" in navigator && (
                <button onClick={() => like({ vibration: !kept.vibration })}>
                  {text.notify.vibration(kept.vibration)}
                </button>
              )}
              {canNotify() && (
                <button onClick={() => void notify(!kept.notifications)}>
                  {text.notify.notifications(kept.notifications === true)}
                </button>
              )}
              {isBlocked && <Blocked />}
            </Group>
            {session && (
              <Group name={text.game.thisGame}>
                {session.leaves && (
                  <button onClick={() => session.setLeaves(false)}>{text.actionBar.askAgain}</button>
                )}
                <button onClick={() => setShared("game")}>{text.share.of(isWaiting)}</button>
                {session.isSeated && (
                  <button onClick={() => setShared("seat")}>{text.share.elsewhere}</button>
                )}
                {session.game && <button onClick={() => setChecking(true)}>{text.proof.open}</button>}
                <TableDeeds session={session} onLook={() => setOpen(false)} onAsk={setAsked} />
              </Group>
            )}
          </div>
        </div>
      )}
      {session && shared === "game" && (
        <Share
          heading={text.share.of(isWaiting)}
          hint={text.share.ofHint(isWaiting)}
          link={invitation(session.credentials)}
          onClose={() => setShared(null)}
        />
      )}
      {session && shared === "seat" && (
        <Share
          heading={text.share.elsewhere}
          hint={text.share.elsewhereHint}
          link={continuation(session.credentials)}
          onClose={() => setShared(null)}
        />
      )}
      {session && checking && <Check session={session} onClose={() => setChecking(false)} />}
      {helping && <Help onClose={() => setHelping(false)} />}
      {asked && <Question {...asked} onClose={() => setAsked(null)} />}
    </div>
  );
}

function Group({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <div role="group" aria-label={name}>
      <h3 aria-hidden="true">{name}</h3>
      {children}
    </div>
  );
}

/** Each language by its own name, for whoever cannot read the one that is shown. */
function LanguageChoice(): JSX.Element {
  return (
    <label class="language">
      <Icon name="language" />
      <span class="unseen">{text.game.language}</span>
      <select
        value={text.language}
        onChange={({ currentTarget: { value } }) => isLanguage(value) && void language.choose(value)}
      >
        {Object.keys(LANGUAGES)
          .filter(isLanguage)
          .map((one) => (
            <option key={one} value={one} lang={one}>
              {nameOfLanguage(one)}
            </option>
          ))}
      </select>
    </label>
  );
}

interface DeedsProps {
  readonly session: GameSession;
  readonly onLook: () => void;
  readonly onAsk: (asked: Asked) => void;
}

function TableDeeds({ session, onLook, onAsk }: DeedsProps): JSX.Element | null {
  if (session.game?.status === "finished" || session.game?.status === "aborted") return null;
  const mine = resignerOf(session);

  function askToResign({ seat, name }: Player): void {
    const words = text.game.resignSure(ownSeat(session) === null ? name : null);
    onAsk({ heading: text.game.resign, words, onYes: () => resign(session, seat) });
  }

  function askToAbort(): void {
    onAsk({ heading: text.game.abort, words: text.game.abortSure, onYes: () => abort(session) });
  }

  function look(): void {
    session.replay(session.replayed === null ? session.lastStep : null);
    onLook();
  }

  return (
    <>
      {session.game?.status === "active" && <button onClick={look}>{text.replay.heading}</button>}
      {mine && session.game?.status === "active" && (
        <button onClick={() => askToResign(mine)}>{text.game.resign}</button>
      )}
      {session.credentials.owner && <button onClick={askToAbort}>{text.game.abort}</button>}
    </>
  );
}
