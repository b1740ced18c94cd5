/**
 * Says what on the screen cannot be reached or read: a list of sentences, empty where all is well.
 *
 * A control counts as reached where a user can scroll it wholly into sight and a tap on its middle meets it.
 * Text counts as cut off where it leaves its box, or a box that hides what overflows.
 */
() => {
  const CONTROLS = "button, a[href], input, select, summary, [role=spinbutton], [tabindex='0']";
  /** What may be scrolled sideways: a row of cards. */
  const SIDEWAYS = ".players";
  const SLACK = 1.5;
  /** How far the letters of a line may stand out of it, of their height. */
  const LEADING = 0.2;
  /** What a select's arrow takes of its width. */
  const ARROW = 16;
  const problems = new Set();
  const scope = [...document.querySelectorAll("dialog[open], .menu-list")].at(-1) ?? document.body;

  const name = (element) => {
    const words = (element.getAttribute("aria-label") || element.textContent || "").trim().slice(0, 50);
    return `${element.localName}.${[...element.classList].join(".")} "${words}"`;
  };
  /** Whether an element, or what it is in, is for screen readers only. */
  const isForEars = (element) => element !== null && (getComputedStyle(element).clipPath !== "none" || isForEars(element.parentElement));
  const isSeen = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && !element.closest(".frame, option") && !isForEars(element);
  const hides = (overflow) => overflow === "hidden" || overflow === "clip";

  function* ancestors(element) {
    for (let one = element.parentElement; one && one !== document.documentElement; one = one.parentElement) {
      yield [one, getComputedStyle(one)];
      if (getComputedStyle(one).position === "fixed" || one === scope) return;
    }
  }

  /** The part of the screen in which an element can be seen. */
  function region(element) {
    const seen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (const [one, style] of ancestors(element)) {
      const box = one.getBoundingClientRect();
      if (one === document.body) break;
      if (style.overflowX !== "visible") {
        seen.left = Math.max(seen.left, box.left);
        seen.right = Math.min(seen.right, box.right);
      }
      if (style.overflowY !== "visible") {
        seen.top = Math.max(seen.top, box.top);
        seen.bottom = Math.min(seen.bottom, box.bottom);
      }
    }
    return seen;
  }

  /** Scrolls as a user can: what is hidden by overflow stays so. */
  function scrollTo(element) {
    const still = [...ancestors(element)].filter(([, style]) => hides(style.overflowY) || hides(style.overflowX));
    element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    for (const [one] of still) one.scrollTo({ left: 0, top: 0, behavior: "instant" });
  }

  function reach(control) {
    scrollTo(control);
    const box = control.getBoundingClientRect();
    const seen = region(control);
    const isPanel =
      control.matches("[tabindex='0']:not(button, [role=spinbutton])") ||
      box.height > seen.bottom - seen.top ||
      box.width > seen.right - seen.left;
    const inside =
      box.left >= seen.left - SLACK &&
      box.top >= seen.top - SLACK &&
      box.right <= seen.right + SLACK &&
      box.bottom <= seen.bottom + SLACK;
    if (!inside && !isPanel) {
      problems.add(`out of reach: ${name(control)} ${rounded(box)} in ${rounded(seen)}`);
      return;
    }
    const x = (Math.max(box.left, seen.left) + Math.min(box.right, seen.right)) / 2;
    const y = (Math.max(box.top, seen.top) + Math.min(box.bottom, seen.bottom)) / 2;
    const met = document.elementFromPoint(x, y);
    if (!met || !(control.contains(met) || (met.localName === "label" && met.contains(control))))
      problems.add(`covered: ${name(control)} by ${met ? name(met) : "nothing"}`);
  }

  const rounded = ({ left, top, right, bottom }) => `[${[left, top, right, bottom].map(Math.round)}]`;

  function read(node) {
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
      readAt(parent, rect);
    }
  }

  /** Whether a line of text lies under something else. */
  function readAt(parent, rect) {
      const seen = region(parent);
      const x = (rect.left + rect.right) / 2;
      const y = (rect.top + rect.bottom) / 2;
      if (x <= seen.left || x >= seen.right || y <= seen.top || y >= seen.bottom) return;
      const met = document.elementFromPoint(x, y);
      const isOver = met && (met.contains(parent) || parent.contains(met));
      if (!isOver && getComputedStyle(parent).pointerEvents !== "none")
        problems.add(`written over: ${name(parent)} by ${met ? name(met) : "nothing"}`);
  }

  /** What a select shows, which no box tells of; below the 320 pixels of WCAG 1.4.10 its list, once open, has to do. */
  function readChosen(select) {
    if (innerWidth < 320) return;
    const style = getComputedStyle(select);
    const pen = new OffscreenCanvas(1, 1).getContext("2d");
    pen.font = style.font;
    const { width } = pen.measureText(select.selectedOptions[0]?.label ?? "");
    const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - ARROW;
    if (width > room) problems.add(`cut off at the side: ${select.selectedOptions[0].label} ${Math.round(width)} of ${Math.round(room)}`);
  }

  for (const select of scope.querySelectorAll("select")) if (isSeen(select)) readChosen(select);
  for (const control of scope.querySelectorAll(CONTROLS)) if (isSeen(control)) reach(control);
  for (const one of scope.querySelectorAll("*"))
    if (["auto", "scroll"].includes(getComputedStyle(one).overflowX) && isSeen(one) && !one.matches(SIDEWAYS) && one.scrollWidth > one.clientWidth + 1)
      problems.add(`scrolls sideways: ${name(one)} ${one.scrollWidth} of ${one.clientWidth}`);
  if (document.documentElement.scrollWidth > innerWidth + 1) problems.add(`the page scrolls sideways: ${document.documentElement.scrollWidth}`);
  scrollTo(scope.querySelector("button") ?? scope);
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.data.trim() !== "" && isSeen(node.parentElement) && !node.parentElement.closest("svg, select")) read(node);
  }
  const frame = document.querySelector(".play:not(.aside) .frame, .frame");
  if (frame && scope === document.body && frame.checkVisibility({ visibilityProperty: true })) {
    frame.scrollIntoView({ block: "nearest", behavior: "instant" });
    const box = frame.getBoundingClientRect();
    if (box.height < 90 || box.width < 90) problems.add(`hardly a board: ${Math.round(box.width)} x ${Math.round(box.height)}`);
    const choices = [...frame.querySelectorAll("[data-choice]")];
    const isMet = (choice) => {
      const { left, top, width, height } = choice.getBoundingClientRect();
      const met = document.elementFromPoint(left + width / 2, top + height / 2);
      return met !== null && choice.contains(met);
    };
    if (choices.length > 0 && !choices.some(isMet)) problems.add("no spot that can be chosen is in sight");
  }
  return [...problems];
}
