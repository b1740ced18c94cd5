/** The course of the game, step by step. */

import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { isFramed } from "../model/frame.ts";
import { useBack } from "../model/back.ts";
import type { GameSession } from "../session/game_session.ts";
import { Icon } from "./icon.tsx";
import { useReplayKeys } from "./keyboard_shortcuts.ts";
import { scrollSign } from "./scroll_sign.ts";
import { invitation } from "./share.tsx";
import { NamedStep, wordsOf } from "./short_events.tsx";

const STEP_MS = 900;
/** How many times as fast. */
const SPEEDS = [
  [0.5, "½×"],
  [1, "1×"],
  [2, "2×"],
  [4, "4×"],
] as const;

export function Replay({ session }: { session: GameSession }): JSX.Element | null {
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<number>(1);
  const keys = useId();
  const step = session.replayed ?? session.lastStep;
  const last = session.lastStep;

  useEffect(() => {
    if (!playing) return;
    const next = (): void => (step < last ? session.replay(step + 1) : setPlaying(false));
    const ticking = setTimeout(next, STEP_MS / speed);
    return () => clearTimeout(ticking);
  }, [playing, step, last, speed]);

  useBack(true, () => session.replay(null));
  useReplayKeys({
    " ": play,
    ArrowLeft: () => go(step - 1),
    ArrowRight: () => go(step + 1),
    Home: () => go(1),
    End: () => go(last),
    Escape: () => session.replay(null),
  });

  const shown = session.stepShown;
  const said = shown ? wordsOf(session, shown) : "";

  function go(to: number): void {
    setPlaying(false);
    session.replay(to);
  }

  function play(): void {
    if (!playing && step >= last) session.replay(1);
    setPlaying(!playing);
  }

  return (
    <section
      class="action-bar replay"
      aria-label={text.replay.heading}
      aria-describedby={keys}
      data-part="actions"
    >
      <header>
        <h2>
          {text.replay.heading} <small>{text.game.replayStep(step, last)}</small>
        </h2>
        <select
          aria-label={text.course.speed}
          title={text.course.speed}
          value={speed}
          onChange={(event) => setSpeed(Number(event.currentTarget.value))}
        >
          {SPEEDS.map(([one, shown]) => (
            <option key={one} value={one}>
              {shown}
            </option>
          ))}
        </select>
        <StepLink session={session} step={step} />
        <Tool icon="close" label={text.replay.leave} onClick={() => session.replay(null)} />
      </header>
      <div class="summary">
        <p key={step} ref={scrollSign} class="hint">
          {shown && <NamedStep session={session} step={shown} />}
        </p>
        <input
          type="range"
          min={1}
          max={last}
          value={step}
          aria-label={text.replay.slider}
          aria-valuetext={text.course.said(step, last, said)}
          onInput={(event) => go(event.currentTarget.valueAsNumber)}
        />
      </div>
      <p id={keys} class="unseen">
        {text.course.keys}
      </p>
      <div class="buttons">
        <Tool icon="first" label={text.replay.first} onClick={() => go(1)} />
        <Tool icon="previous" label={text.replay.previous} onClick={() => go(step - 1)} />
        <button class="primary" onClick={play}>
          <Icon name={playing ? "pause" : "play"} /> {playing ? text.replay.pause : text.replay.play}
        </button>
        <Tool icon="following" label={text.replay.following} onClick={() => go(step + 1)} />
        <Tool icon="last" label={text.replay.last} onClick={() => go(last)} />
      </div>
    </section>
  );
}

/** Copies a link that opens the game at this step. */
function StepLink({ session, step }: { session: GameSession; step: number }): JSX.Element | null {
  const [copied, setCopied] = useState<number | null>(null);
  if (isFramed() || !("clipboard" in navigator)) return null;
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(invitation(session.credentials, step));
    setCopied(step);
  }
  const isCopied = copied === step;
  return (
    <Tool
      icon={isCopied ? "check" : "link"}
      label={isCopied ? text.course.copied : text.course.link}
      onClick={() => void copy()}
    />
  );
}

function Tool({ icon, label, onClick }: { icon: string; label: string; onClick: () => void }): JSX.Element {
  return (
    <button class="round" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
