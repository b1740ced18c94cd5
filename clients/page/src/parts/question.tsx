/** Asks before something is done that nobody can take back; the focus is on the button that does nothing. */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { Dialog, closeDialog } from "./dialog.tsx";

export interface Asked {
  /** What would be done, as the button says it. */
  readonly heading: string;
  readonly words: string;
  readonly onYes: () => void;
}

export function Question(props: Asked & { readonly onClose: () => void }): JSX.Element {
  const { heading, words, onYes, onClose } = props;
  return (
    <Dialog heading={heading} isQuestion onClose={onClose}>
      <p>{words}</p>
      <div class="buttons">
        <button autofocus onClick={closeDialog}>
          {text.sure.no}
        </button>
        <button
          class="primary"
          onClick={(event) => {
            closeDialog(event);
            onYes();
          }}
        >
          {heading}
        </button>
      </div>
    </Dialog>
  );
}
