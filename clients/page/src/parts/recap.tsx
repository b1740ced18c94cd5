/** What others did, shown step by step to whoever comes back to the game, who may skip it. */

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Token } from "../board/figure.tsx";
import type { Pictures } from "../board/pictures.ts";
import { text } from "../messages/index.ts";
import { useBack } from "../model/back.ts";
import { nameOf } from "../model/event_sentences.ts";
import { gainsIn } from "../model/news.ts";
import { useObservable } from "../model/observable.ts";
import type { GameSession } from "../session/game_session.ts";
import { useReplayKeys } from "./keyboard_shortcuts.ts";
import { ShortStep } from "./short_events.tsx";

/** How long a step is shown; one that brings somebody something, until it has come to them. */
const STEP_MS = 800;
const GAIN_MS = 1800;
/** How long it waits for the pictures of the tiles. */
const LOADING_MS = 5000;

interface RecapProps {
  readonly session: GameSession;
  readonly pictures: Pictures;
}

export function Recap({ session, pictures }: RecapProps): JSX.Element | null {
  useObservable(pictures);
  const { isLoaded } = pictures;
  const { stepShown: step, replayed } = session;
  const skip = (): void => session.replay(null);
  useBack(true, skip);
  useReplayKeys({ " ": skip, Enter: skip, Escape: skip });
  useEffect(() => {
    const hasGain = step !== null && gainsIn(step.diff.events).size > 0;
    const shownMs = !isLoaded ? LOADING_MS : hasGain ? GAIN_MS : STEP_MS;
    const ticking = setTimeout(() => session.continueRecap(), shownMs);
    return () => clearTimeout(ticking);
  }, [replayed, isLoaded]);
  useEffect(() => {
    const isHere = ({ target }: Event): boolean =>
      target instanceof Element && target.closest(".frame, .recap") !== null;
    const tapped = (event: Event): void => void (isHere(event) && skip());
    // What is tapped on the board may go with the step: the focus stays where it is.
    const pressed = (event: Event): void => void (isHere(event) && event.preventDefault());
    addEventListener("click", tapped);
    addEventListener("mousedown", pressed);
    return () => {
      removeEventListener("click", tapped);
      removeEventListener("mousedown", pressed);
    };
  }, [session]);
  if (!step) return null;
  const { game, diff } = step;
  return (
    <section class="action-bar theirs recap" aria-label={text.recap.heading} data-part="actions">
      <div class="step">
        <div class="emblem">
          <Token color={(diff.seat !== null && game.players[diff.seat]?.color) || null} />
        </div>
        <h2>{diff.seat === null ? text.recap.heading : nameOf(game, diff.seat)}</h2>
        <p class="hint">
          <ShortStep session={session} step={step} />
        </p>
      </div>
      <div class="buttons">
        <button>{text.recap.skip}</button>
      </div>
    </section>
  );
}
