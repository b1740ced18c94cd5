/** The course of the game, step by step. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { sentences } from "../model/story.ts";
import type { Table } from "../table/table.ts";
import { Icon } from "./icon.tsx";

const STEP_MS = 900;

export function Replay({ table }: { table: Table }): JSX.Element | null {
  const [playing, setPlaying] = useState(false);
  const step = table.replayed ?? table.lastStep;
  const last = table.lastStep;

  useEffect(() => {
    if (!playing) return;
    const ticking = setTimeout(() => (step < last ? table.replay(step + 1) : setPlaying(false)), STEP_MS);
    return () => clearTimeout(ticking);
  }, [playing, step, last]);

  const shown = table.stepShown;
  const said = shown && table.tileset ? sentences(shown.diff, shown.game, table.tileset).join(" ") : "";

  function go(to: number): void {
    setPlaying(false);
    table.replay(to);
  }

  function play(): void {
    if (!playing && step >= last) table.replay(1);
    setPlaying(!playing);
  }

  return (
    <section class="dock replay" aria-label={text.replay.heading}>
      <div class="told">
        <h2>
          {text.replay.heading} <small>{text.table.replayStep(step, last)}</small>
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
          aria-valuetext={`${text.table.replayStep(step, last)}. ${said}`}
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
        <button onClick={() => table.replay(null)}>{text.replay.leave}</button>
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
