/** A dialog over everything else; Escape, Back and a tap beside it close it, and the focus goes back to where it was. */

import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { text } from "../messages/index.ts";
import { useBack } from "../model/back.ts";
import { Announcements } from "./announcements.tsx";
import { Icon } from "./icon.tsx";
import { scrollSign } from "./scroll_sign.ts";

interface DialogProps {
  readonly heading: string;
  /** Whether an answer is wanted before anything else. */
  readonly isQuestion?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** What stays in sight below what scrolls. */
  readonly foot?: ComponentChildren;
}

export function Dialog({ heading, isQuestion, onClose, children, foot }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const body = useId();
  // It is open before it can be closed.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useBack(true, () => dialog.current?.close());
  return (
    <dialog
      ref={dialog}
      role={isQuestion ? "alertdialog" : undefined}
      aria-labelledby={id}
      aria-describedby={isQuestion ? body : undefined}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && closeDialog(event)}
    >
      <div class="dialog">
        <div class="dialog-head">
          <h2 id={id}>{heading}</h2>
          <button class="round" aria-label={text.close} onClick={closeDialog}>
            <Icon name="close" />
          </button>
        </div>
        <div ref={scrollSign} id={body} class="dialog-body">
          {children}
        </div>
        {foot && <div class="dialog-foot">{foot}</div>}
        <Announcements />
      </div>
    </dialog>
  );
}

/** Closes the dialog that a button is in. The browser gives the focus back, and tells `onClose`. */
export function closeDialog({ currentTarget }: { currentTarget: Element }): void {
  currentTarget.closest("dialog")?.close();
}
