/** A dialog over everything else; Escape and a tap beside it close it. */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { text } from "../messages/index.ts";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly heading: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ heading, onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="dialog">
        <header>
          <h2 id={id}>{heading}</h2>
          <button class="round" aria-label={text.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        <div class="dialog-body">{children}</div>
      </div>
    </dialog>
  );
}
