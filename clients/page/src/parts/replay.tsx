/** The course of the game, step by step. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { sentences } from "../model/event_sentences.ts";
import type { GameSession } from "../session/game_session.ts";
import { Icon } from "./icon.tsx";

const STEP_MS = 900;

export function Replay({ session }: { session: GameSession }): JSX.Element | null {
  const [playing, setPlaying] = useState(false);
  const step = session.replayed ?? session.lastStep;
  const last = session.lastStep;

  useEffect(() => {
    if (!playing) return;
    const ticking = setTimeout(() => (step < last ? session.replay(step + 1) : setPlaying(false)), STEP_MS);
    return () => clearTimeout(ticking);
  }, [playing, step, last]);

  const shown = session.stepShown;
  const said = shown && session.tileset ? sentences(shown.diff, shown.game, session.tileset).join(" ") : "";

  function go(to: number): void {
    setPlaying(false);
    session.replay(to);
  }

  function play(): void {
    if (!playing && step >= last) session.replay(1);
    setPlaying(!playing);
  }

  return (
    <section class="action-bar replay" aria-label={text.replay.heading}>
      <div class="summary">
        <h2>
          {text.replay.heading} <small>{text.game.replayStep(step, last)}</small>
        </h2>
        <p class="hint" aria-live="polite">
          {said}
        </p>
        <input
          type="range"
          min={1}
          max={last}
          value={step}
          aria-label={text.replay.slider}
          aria-valuetext={`${text.game.replayStep(step, last)}. ${said}`}
          onInput={(event) => go(event.currentTarget.valueAsNumber)}
        />
      </div>
      <div class="buttons">
        <Tool icon="first" label={text.replay.first} onClick={() => go(1)} />
        <Tool icon="previous" label={text.replay.previous} onClick={() => go(step - 1)} />
        <button class="primary" onClick={play}>
          <Icon name={playing ? "pause" : "play"} /> {playing ? text.replay.pause : text.replay.play}
        </button>
        <Tool icon="following" label={text.replay.following} onClick={() => go(step + 1)} />
        <Tool icon="last" label={text.replay.last} onClick={() => go(last)} />
        <button onClick={() => session.replay(null)}>{text.replay.leave}</button>
      </div>
    </section>
  );
}

function Tool({ icon, label, onClick }: { icon: string; label: string; onClick: () => void }): JSX.Element {
  return (
    <button class="round" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
