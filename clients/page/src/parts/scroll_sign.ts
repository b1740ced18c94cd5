/** What scrolls has a sign at each edge beyond which there is more of it: a style sheet fades that edge (base.css). */

/** In pixels; less than this is no more. */
const SLACK = 2;

/** To be the `ref` of an element that may scroll: names in `data-more` the edges beyond which there is more. */
export function scrollSign(element: HTMLElement | null): (() => void) | undefined {
  if (!element) return undefined;
  const measure = (): void => {
    const scrolls = getComputedStyle(element).overflow !== "visible";
    const edges = scrolls ? edgesWithMore(element) : [];
    element.dataset["more"] = edges.join(" ");
    // Words alone would not be reached by key.
    if (element.childElementCount === 0) element.tabIndex = edges.length > 0 ? 0 : -1;
  };
  const sized = new ResizeObserver(measure);
  const filled = new MutationObserver(() => {
    for (const child of element.children) sized.observe(child);
    measure();
  });
  sized.observe(element);
  for (const child of element.children) sized.observe(child);
  filled.observe(element, { childList: true, subtree: true });
  element.addEventListener("scroll", measure, { passive: true });
  return () => {
    sized.disconnect();
    filled.disconnect();
    element.removeEventListener("scroll", measure);
  };
}

type Scrolled = Pick<
  HTMLElement,
  "scrollLeft" | "scrollTop" | "scrollWidth" | "scrollHeight" | "clientWidth" | "clientHeight"
>;

export function edgesWithMore(element: Scrolled): string[] {
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = element;
  const beyond = {
    left: scrollLeft,
    right: scrollWidth - clientWidth - scrollLeft,
    top: scrollTop,
    bottom: scrollHeight - clientHeight - scrollTop,
  };
  return Object.entries(beyond).flatMap(([edge, length]) => (length > SLACK ? [edge] : []));
}
