/**
 * Returns the controls that cannot be reached and the texts that cannot be read, as a list of messages.
 *
 * A control is reachable if a user can scroll all of it into view, and a tap on its centre hits it; and it is as large as a
 * finger. Text is cut off if it leaves its box, or an ancestor's box that hides overflow; and what scrolls has a sign of it.
 */
() => {
  const CONTROLS = "button, a[href], input, select, summary, [role=spinbutton], [tabindex='0']";
  /** In which a finger taps: the spinbuttons are for keys. */
  const TARGETS = "button, a[href], input:not([type=checkbox]), label:has([type=checkbox]), select, summary";
  const TARGET = 44;
  /** More than two cards may scroll sideways where there is hardly a screen, in units of the text. */
  const SIDEWAYS = ".players.many";
  const HARDLY = { width: 18.6875, height: 15 };
  /** What scrolls as a whole, never sideways, is cut off by the edge of the screen, or by its own, which is sign enough. */
  const WHOLE = ".screen, dialog";
  /** Only longer words may be broken, and any below the 320 pixels of WCAG 1.4.10. */
  const UNBROKEN = 12;
  const SLACK = 1.5;
  /** How far glyphs may leave their line, as a share of its height. */
  const LEADING = 0.2;
  /** The width of a select's arrow. */
  const ARROW = 16;
  const problems = new Set();
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const isHardly = innerWidth <= HARDLY.width * rem || innerHeight <= HARDLY.height * rem;
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

  function checkTarget(control) {
    const { width, height } = control.getBoundingClientRect();
    if (width < TARGET - 0.5 || height < TARGET - 0.5)
      problems.add(`too small: ${name(control)} ${Math.round(width)} x ${Math.round(height)}`);
  }

  /** Whether an arrow unfolds what a line has no room for. */
  function isFolded(one) {
    return one.closest("details:not([open]) > summary") !== null;
  }

  /** Checks an element that does not show all that is in it at once. */
  function checkScrolled(one) {
    if (one.matches(WHOLE)) {
      const excess = one.scrollWidth - one.clientWidth;
      if (excess > 2) problems.add(`scrolls sideways: ${name(one)} by ${excess}`);
      return;
    }
    const { overflowX, overflowY } = getComputedStyle(one);
    const wide = overflowX !== "visible" && one.scrollWidth > one.clientWidth + 2;
    const high = overflowY !== "visible" && one.scrollHeight > one.clientHeight + 2 && !isFolded(one);
    const signs = (one.dataset.more ?? "").split(" ");
    const isShortened = getComputedStyle(one).textOverflow === "ellipsis" && one.closest("[title]");
    if (wide && !isShortened && !(isHardly && one.matches(SIDEWAYS)))
      problems.add(`scrolls sideways: ${name(one)} ${one.scrollWidth} of ${one.clientWidth}`);
    if ((wide && !isShortened && !signs.includes("left") && !signs.includes("right")) || (high && !signs.includes("top") && !signs.includes("bottom")))
      problems.add(`cut off without a sign: ${name(one)} ${one.scrollWidth} x ${one.scrollHeight} of ${one.clientWidth} x ${one.clientHeight}`);
  }

  /** Reports short words that are broken; players' names are in two parts. */
  function checkWords(node) {
    if (node.parentElement.closest(".name")) return;
    const range = document.createRange();
    for (const { 0: word, index } of node.data.matchAll(/\p{L}+/gu)) {
      if (word.length > UNBROKEN) continue;
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) problems.add(`broken: ${word} in ${name(node.parentElement)}`);
    }
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
        const isDeliberate = style.textOverflow === "ellipsis" && one.closest("[title]");
        if ((first || hides(style.overflowX)) && (left < box.left - SLACK || right > box.right + SLACK)) {
          if (!isDeliberate) problems.add(`cut off at the side: ${name(parent)} ${rounded(rect)} in ${name(one)} ${rounded(box)}`);
          break;
        }
        if ((hides(style.overflowY) || (first && style.overflowY === "visible")) && (top < box.top - LEADING * rect.height || bottom > box.bottom + LEADING * rect.height)) {
          if (!isFolded(one)) problems.add(`cut off below: ${name(parent)} ${rounded(rect)} in ${name(one)} ${rounded(box)}`);
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

  /** Whether only a sign elsewhere on an element is drawn. */
  const isSeenThrough = (element) =>
    element?.localName === "button" && element.textContent === "" && getComputedStyle(element).backgroundColor === "rgba(0, 0, 0, 0)";

  /** Reports a line of text that another element covers. */
  function checkNotCovered(parent, rect) {
    const region = visibleRegion(parent);
    const isShortened = getComputedStyle(parent).textOverflow === "ellipsis";
    const right = isShortened ? Math.min(rect.right, parent.getBoundingClientRect().right) : rect.right;
    if (right <= rect.left) return;
    const x = (rect.left + right) / 2;
    const y = (rect.top + rect.bottom) / 2;
    if (x <= region.left || x >= region.right || y <= region.top || y >= region.bottom) return;
    const hit = document.elementFromPoint(x, y);
    const isRelated = hit && (hit.contains(parent) || parent.contains(hit));
    if (!isRelated && !isSeenThrough(hit) && getComputedStyle(parent).pointerEvents !== "none")
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

  /** In a lens, which lies over other things until it is closed, targets are as large as a finger, beside each other, and hit. */
  function checkLens(lens) {
    const choices = [...lens.querySelectorAll("[data-choice]")];
    const boxOf = (choice) => choice.querySelector(".reach").getBoundingClientRect();
    for (const [index, choice] of choices.entries()) {
      scrollTo(choice);
      const { left, top, width, height } = boxOf(choice);
      const middle = { x: left + width / 2, y: top + height / 2 };
      const hit = document.elementFromPoint(middle.x, middle.y);
      if (Math.min(width, height) < TARGET - 0.5) problems.add(`too small: ${name(choice)} ${width} x ${height}`);
      if (!choice.contains(hit)) problems.add(`covered: ${name(choice)} by ${hit ? name(hit) : "nothing"}`);
      for (const other of innerWidth < 320 ? [] : choices.slice(0, index).map(boxOf))
        if (Math.max(Math.abs(other.left - left), Math.abs(other.top - top)) < width - 0.5)
          problems.add(`over another: ${name(choice)}`);
    }
  }

  const lens = document.querySelector(".lens");
  if (lens) checkLens(lens);
  if (lens) lens.style.visibility = "hidden";
  for (const select of scope.querySelectorAll("select")) if (isVisible(select)) checkSelect(select);
  for (const control of scope.querySelectorAll(CONTROLS)) if (isVisible(control)) checkControl(control);
  for (const target of scope.querySelectorAll(TARGETS)) if (isVisible(target)) checkTarget(target);
  for (const one of [...scope.querySelectorAll(":not(svg, svg *, input)"), ...(scope === document.body ? [] : [scope])])
    if (one.scrollWidth > one.clientWidth + 2 || one.scrollHeight > one.clientHeight + 2) if (isVisible(one)) checkScrolled(one);
  // Words only for who hears the page would make what scrolls higher.
  for (const one of document.querySelectorAll("*"))
    if (getComputedStyle(one).clipPath === "inset(50%)" && one.offsetHeight > 1) problems.add(`unseen, but high: ${name(one)}`);
  if (document.documentElement.scrollWidth > innerWidth + 1) problems.add(`the page scrolls sideways: ${document.documentElement.scrollWidth}`);
  scrollTo(scope.querySelector("button") ?? scope);
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.data.trim() !== "" && isVisible(node.parentElement) && !node.parentElement.closest("svg, select")) {
      checkText(node);
      if (innerWidth >= 320) checkWords(node);
    }
  }
  const frame = document.querySelector(".play:not(.aside) .frame, .frame");
  if (frame && scope === document.body && frame.checkVisibility({ visibilityProperty: true })) {
    frame.scrollIntoView({ block: "nearest", behavior: "instant" });
    const box = frame.getBoundingClientRect();
    if (box.height < 90 || box.width < 90) problems.add(`the board is too small: ${Math.round(box.width)} x ${Math.round(box.height)}`);
    const choices = [...frame.querySelectorAll("[data-choice]")];
    const isReachable = (choice) => {
      choice.scrollIntoView({ block: "nearest", behavior: "instant" });
      const { left, top, width, height } = choice.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return hit !== null && choice.contains(hit);
    };
    if (choices.length > 0 && !lens && !choices.some(isReachable)) problems.add("no choice on the board is in view");
  }
  if (lens) lens.style.visibility = "";
  return [...problems];
}
