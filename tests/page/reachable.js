/**
 * Returns the controls that cannot be reached and the texts that cannot be read, as a list of messages.
 *
 * A control is reachable if a user can scroll all of it into view, and a tap on its centre hits it.
 * Text is cut off if it leaves its box, or an ancestor's box that hides overflow.
 */
() => {
  const CONTROLS = "button, a[href], input, select, summary, [role=spinbutton], [tabindex='0']";
  /** The row of cards may scroll sideways. */
  const SIDEWAYS = ".players";
  const SLACK = 1.5;
  /** How far glyphs may leave their line, as a share of its height. */
  const LEADING = 0.2;
  /** The width of a select's arrow. */
  const ARROW = 16;
  const problems = new Set();
  const scope = [...document.querySelectorAll("dialog[open], .menu-list")].at(-1) ?? document.body;

  const name = (element) => {
    const words = (element.getAttribute("aria-label") || element.textContent || "").trim().slice(0, 50);
    return `${element.localName}.${[...element.classList].join(".")} "${words}"`;
  };
  /** Whether an element or an ancestor is for screen readers only. */
  const isVisuallyHidden = (element) =>
    element !== null && (getComputedStyle(element).clipPath !== "none" || isVisuallyHidden(element.parentElement));
  const isVisible = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && !element.closest(".frame, option") && !isVisuallyHidden(element);
  const hides = (overflow) => overflow === "hidden" || overflow === "clip";

  function* ancestors(element) {
    for (let one = element.parentElement; one && one !== document.documentElement; one = one.parentElement) {
      yield [one, getComputedStyle(one)];
      if (getComputedStyle(one).position === "fixed" || one === scope) return;
    }
  }

  /** The part of the viewport in which an element can be visible. */
  function visibleRegion(element) {
    const region = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (const [one, style] of ancestors(element)) {
      const box = one.getBoundingClientRect();
      if (one === document.body) break;
      if (style.overflowX !== "visible") {
        region.left = Math.max(region.left, box.left);
        region.right = Math.min(region.right, box.right);
      }
      if (style.overflowY !== "visible") {
        region.top = Math.max(region.top, box.top);
        region.bottom = Math.min(region.bottom, box.bottom);
      }
    }
    return region;
  }

  /** Scrolls as a user can: elements with hidden overflow do not scroll. */
  function scrollTo(element) {
    const fixed = [...ancestors(element)].filter(([, style]) => hides(style.overflowY) || hides(style.overflowX));
    element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    for (const [one] of fixed) one.scrollTo({ left: 0, top: 0, behavior: "instant" });
  }

  function checkControl(control) {
    scrollTo(control);
    const box = control.getBoundingClientRect();
    const region = visibleRegion(control);
    const isPanel =
      control.matches("[tabindex='0']:not(button, [role=spinbutton])") ||
      box.height > region.bottom - region.top ||
      box.width > region.right - region.left;
    const isInside =
      box.left >= region.left - SLACK &&
      box.top >= region.top - SLACK &&
      box.right <= region.right + SLACK &&
      box.bottom <= region.bottom + SLACK;
    if (!isInside && !isPanel) {
      problems.add(`out of reach: ${name(control)} ${rounded(box)} in ${rounded(region)}`);
      return;
    }
    const x = (Math.max(box.left, region.left) + Math.min(box.right, region.right)) / 2;
    const y = (Math.max(box.top, region.top) + Math.min(box.bottom, region.bottom)) / 2;
    const hit = document.elementFromPoint(x, y);
    if (!hit || !(control.contains(hit) || (hit.localName === "label" && hit.contains(control))))
      problems.add(`covered: ${name(control)} by ${hit ? name(hit) : "nothing"}`);
  }

  const rounded = ({ left, top, right, bottom }) => `[${[left, top, right, bottom].map(Math.round)}]`;

  function checkText(node) {
    const parent = node.parentElement;
    scrollTo(parent);
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
    let isHitChecked = false;
    for (const rect of rects) {
      let { left, top, right, bottom } = rect;
      let isBlock = false;
      for (const [one, style] of [[parent, getComputedStyle(parent)], ...ancestors(parent)]) {
        if (style.display === "inline" || style.display === "contents") continue;
        const box = one.getBoundingClientRect();
        const first = !isBlock;
        isBlock = true;
        const isDeliberate = style.textOverflow === "ellipsis" && one.title !== "";
        if ((first || hides(style.overflowX)) && (left < box.left - SLACK || right > box.right + SLACK)) {
          if (!isDeliberate) problems.add(`cut off at the side: ${name(parent)} ${rounded(rect)} in ${name(one)} ${rounded(box)}`);
          break;
        }
        if ((hides(style.overflowY) || (first && style.overflowY === "visible")) && (top < box.top - LEADING * rect.height || bottom > box.bottom + LEADING * rect.height)) {
          problems.add(`cut off below: ${name(parent)} ${rounded(rect)} in ${name(one)} ${rounded(box)}`);
          break;
        }
        if (style.overflowX !== "visible" || style.overflowY !== "visible") {
          left = Math.max(left, box.left);
          right = Math.min(right, box.right);
          top = Math.max(top, box.top);
          bottom = Math.min(bottom, box.bottom);
          if (left >= right || top >= bottom) break;
        }
      }
      if (isHitChecked) continue;
      isHitChecked = true;
      checkNotCovered(parent, rect);
    }
  }

  /** Reports a line of text that another element covers. */
  function checkNotCovered(parent, rect) {
    const region = visibleRegion(parent);
    const shortened = parent.closest("[title]");
    const isShortened = shortened && getComputedStyle(shortened).textOverflow === "ellipsis";
    const right = isShortened ? Math.min(rect.right, shortened.getBoundingClientRect().right) : rect.right;
    if (right <= rect.left) return;
    const x = (rect.left + right) / 2;
    const y = (rect.top + rect.bottom) / 2;
    if (x <= region.left || x >= region.right || y <= region.top || y >= region.bottom) return;
    const hit = document.elementFromPoint(x, y);
    const isRelated = hit && (hit.contains(parent) || parent.contains(hit));
    if (!isRelated && getComputedStyle(parent).pointerEvents !== "none")
      problems.add(`covered: ${name(parent)} by ${hit ? name(hit) : "nothing"}`);
  }

  /** Checks the text of a select's chosen option, which has no box. Below the 320 pixels of WCAG 1.4.10 it may be cut off. */
  function checkSelect(select) {
    if (innerWidth < 320) return;
    const style = getComputedStyle(select);
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.font = style.font;
    const { width } = canvas.measureText(select.selectedOptions[0]?.label ?? "");
    const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - ARROW;
    if (width > room) problems.add(`cut off at the side: ${select.selectedOptions[0].label} ${Math.round(width)} of ${Math.round(room)}`);
  }

  for (const select of scope.querySelectorAll("select")) if (isVisible(select)) checkSelect(select);
  for (const control of scope.querySelectorAll(CONTROLS)) if (isVisible(control)) checkControl(control);
  for (const one of scope.querySelectorAll("*"))
    if (["auto", "scroll"].includes(getComputedStyle(one).overflowX) && isVisible(one) && !one.matches(SIDEWAYS) && one.scrollWidth > one.clientWidth + 1)
      problems.add(`scrolls sideways: ${name(one)} ${one.scrollWidth} of ${one.clientWidth}`);
  if (document.documentElement.scrollWidth > innerWidth + 1) problems.add(`the page scrolls sideways: ${document.documentElement.scrollWidth}`);
  scrollTo(scope.querySelector("button") ?? scope);
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.data.trim() !== "" && isVisible(node.parentElement) && !node.parentElement.closest("svg, select")) checkText(node);
  }
  const frame = document.querySelector(".play:not(.aside) .frame, .frame");
  if (frame && scope === document.body && frame.checkVisibility({ visibilityProperty: true })) {
    frame.scrollIntoView({ block: "nearest", behavior: "instant" });
    const box = frame.getBoundingClientRect();
    if (box.height < 90 || box.width < 90) problems.add(`the board is too small: ${Math.round(box.width)} x ${Math.round(box.height)}`);
    const choices = [...frame.querySelectorAll("[data-choice]")];
    const isReachable = (choice) => {
      const { left, top, width, height } = choice.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return hit !== null && choice.contains(hit);
    };
    if (choices.length > 0 && !choices.some(isReachable)) problems.add("no choice on the board is in view");
  }
  return [...problems];
}
