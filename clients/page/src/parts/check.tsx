/** "Check this game": the proof of its log, run in this browser, in three sentences. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { type Verdict, checkLog } from "../model/proof.ts";
import { reasonOf, service } from "../service.ts";
import { announcer } from "../session/announcer.ts";
import type { GameSession } from "../session/game_session.ts";
import { Dialog } from "./dialog.tsx";
import { Icon } from "./icon.tsx";

export function CheckButton({ session }: { session: GameSession }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button onClick={() => setOpen(true)}>
        <Icon name="check" /> {text.proof.open}
      </button>
      {isOpen && <Check session={session} onClose={() => setOpen(false)} />}
    </>
  );
}

interface CheckProps {
  readonly session: GameSession;
  readonly onClose: () => void;
}

export function Check({ session, onClose }: CheckProps): JSX.Element {
  const [step, setStep] = useState(0);
  const [sentences, setSentences] = useState<readonly string[] | null>(null);

  useEffect(() => {
    const finish = (said: readonly string[]): void => {
      setSentences(said);
      announcer.tell(said.join(" "));
    };
    if (!isSecureContext) return finish([text.proof.impossible]);
    check(session, setStep).then(
      (verdict) => finish(verdictInWords(verdict)),
      (error: unknown) => finish([reasonOf(error)]),
    );
  }, [session]);

  return (
    <Dialog heading={text.proof.open} onClose={onClose}>
      {sentences?.map((sentence) => <p key={sentence}>{sentence}</p>) ?? (
        <label class="checking">
          {text.proof.progress(step, session.lastStep)}
          <progress value={step} max={session.lastStep} />
        </label>
      )}
    </Dialog>
  );
}

/** Reads the log anew, and compares it with the steps that this page has. */
async function check(session: GameSession, onStep: (step: number) => void): Promise<Verdict> {
  const tileset = session.tileset ?? (await service.tileset(session.game?.tileset ?? ""));
  const shown = new Map(session.shownSteps.map(({ diff }) => [diff.version, diff.digest]));
  return checkLog(service.log(session.id, 0, { token: session.readToken }), tileset, shown, onStep);
}

/** What was checked, what was found, and what that cannot show. */
export function verdictInWords({ steps, wrong, isSeedKnown, isSeedChosen }: Verdict): string[] {
  const right = isSeedKnown ? text.proof.right : text.proof.rightSoFar;
  return [
    isSeedKnown ? text.proof.checked(steps) : text.proof.checkedSoFar(steps),
    wrong ? text.proof.wrong[wrong.fault](wrong.step) : right,
    isSeedChosen ? text.proof.limitsChosen : text.proof.limits,
  ];
}
