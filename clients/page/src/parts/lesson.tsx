/** The lesson of a first game: one hint at a time, between what it speaks of, and the way to one. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import type { Hint } from "../model/lesson.ts";
import { LOBBY } from "../model/route.ts";
import { reasonOf } from "../service.ts";
import { playLesson } from "../session/computer_game.ts";
import type { GameSession } from "../session/game_session.ts";
import { useWarning } from "./announcements.tsx";
import { Icon } from "./icon.tsx";

/** The hint in words, which are said with what is asked; what it speaks of is marked by the style sheet. */
export function Lesson({ session, hint }: { session: GameSession; hint: Hint }): JSX.Element {
  const isOver = hint.topic === "over";
  return (
    <section class="lesson" aria-label={text.lesson.label} data-topic={hint.topic}>
      <p>{hint.words}</p>
      <div class="buttons">
        {isOver && (
          <a class="button" href={LOBBY}>
            {text.back}
          </a>
        )}
        {isOver ? (
          <button class="primary" onClick={() => session.endLesson()}>
            {text.lesson.playOn}
          </button>
        ) : (
          <button class="skip" title={text.lesson.skip} onClick={() => session.endLesson()}>
            <Icon name="close" /> <span class="words">{text.lesson.skip}</span>
          </button>
        )}
      </div>
    </section>
  );
}

/** Opens a first game that teaches. */
export function LearnButton({ isFirst = false }: { isFirst?: boolean }): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useWarning(problem);

  async function learn(): Promise<void> {
    setBusy(true);
    try {
      await playLesson();
    } catch (error) {
      setProblem(reasonOf(error));
      setBusy(false);
    }
  }

  return (
    <>
      <button class={isFirst ? "primary big" : ""} disabled={isBusy} onClick={() => void learn()}>
        {text.lesson.learn}
      </button>
      {problem && <p class="problem">{problem}</p>}
    </>
  );
}
