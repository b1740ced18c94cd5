/** A dialog over everything else; Escape and a tap beside it close it, and the focus goes back to where it was. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { text } from "../messages/index.ts";
import { Announcements } from "./announcements.tsx";
import { Icon } from "./icon.tsx";
import { scrollSign } from "./scroll_sign.ts";

interface DialogProps {
  readonly heading: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** What stays in sight below what scrolls. */
  readonly foot?: ComponentChildren;
}

export function Dialog({ heading, onClose, children, foot }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  // The browser's own closing gives the focus back; then it tells `onClose`.
  const close = (): void => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog">
        <div class="dialog-head">
          <h2 id={id}>{heading}</h2>
          <button class="round" aria-label={text.close} onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <div ref={scrollSign} class="dialog-body">
          {children}
        </div>
        {foot && <div class="dialog-foot">{foot}</div>}
        <Announcements />
      </div>
    </dialog>
  );
}
