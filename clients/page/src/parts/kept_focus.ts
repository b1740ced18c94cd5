/** The focus stays near where it was when what had it goes: else keyboard and screen reader start at the top again. */

import { useLayoutEffect } from "preact/hooks";

/** Where the focus is: the element, the cell of the board, and the part of the page. */
interface Place {
  readonly element: Element;
  readonly cell: string | null;
  readonly part: string | null;
}

export function useKeptFocus(): void {
  useLayoutEffect(() => {
    let place: Place | null = null;
    const focused = ({ target }: FocusEvent): void => void (place = placeOf(target as Element));
    // What leaves the page loses the focus as well, and is not connected any more a moment later.
    const blurred = ({ relatedTarget }: FocusEvent): void => {
      if (relatedTarget === null) queueMicrotask(() => isUsable(place?.element) && (place = null));
    };
    const changed = new MutationObserver(() => {
      if (place && !isUsable(place.element)) focusNear(place);
    });
    const ending = new AbortController();
    const { signal } = ending;
    addEventListener("focusin", focused, { signal });
    addEventListener("focusout", blurred, { signal });
    changed.observe(document.body, { subtree: true, childList: true, attributeFilter: ["disabled"] });
    return () => {
      ending.abort();
      changed.disconnect();
    };
  }, []);
}

function placeOf(element: Element): Place {
  const part = element.closest("[data-part]")?.getAttribute("data-part") ?? null;
  return { element, cell: element.getAttribute("data-cell"), part };
}

function isUsable(element: Element | undefined): boolean {
  return element?.isConnected === true && !element.matches(":disabled");
}

/** Focuses the same cell, else the same part, else what is to be done now. */
function focusNear({ element, cell, part }: Place): void {
  if (document.activeElement !== document.body && document.activeElement !== element) return;
  const near = [`[data-stop="${cell}"]`, `[data-part="${part}"]`, "[data-part=actions]", "main"]
    .map((selector) => document.querySelector<HTMLElement | SVGElement>(selector))
    .find((found) => found !== null);
  if (near?.hasAttribute("tabindex") === false) near.setAttribute("tabindex", "-1");
  near?.focus({ preventScroll: true });
}

/** Whether keys are for the page as a whole: the focus is nowhere, or on a part of it. */
export function isAnywhere(target: EventTarget | null): boolean {
  return (
    target === document.body || (target instanceof Element && target.matches("[data-part], .worth, main"))
  );
}
