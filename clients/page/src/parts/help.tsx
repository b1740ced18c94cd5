/** How it works, in a few sentences, and the keys. */

import type { JSX } from "preact";
import { text } from "../messages/index.ts";
import { Dialog } from "./dialog.tsx";
import { LearnButton } from "./lesson.tsx";

export function Help({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <Dialog heading={text.help.heading} onClose={onClose}>
      {text.help.paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <LearnButton />
      <h3>{text.help.keys}</h3>
      <dl class="keys">
        {text.help.keyList.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
