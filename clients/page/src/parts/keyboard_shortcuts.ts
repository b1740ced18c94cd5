/** The keys that work wherever the focus is. */

import { useLayoutEffect, useRef } from "preact/hooks";
import type { ViewRef } from "../board/view.ts";
import { STEP } from "../board/zoom.tsx";
import { confirm, pass, rotate } from "../session/actions.ts";
import type { GameSession } from "../session/game_session.ts";
import { sayAgain } from "./asked.ts";
import { isAnywhere } from "./kept_focus.ts";
import { edgesWithMore } from "./scroll_sign.ts";

const PAN = 80;
/** What arrows and pages lead to from beside the board: wares to pay with, a choice on the board, a ship, else the board itself. */
const FIRST = [
  "[role=spinbutton]",
  "[data-choice][tabindex='0']",
  ".ship.choosable",
  "[data-stop][tabindex='0']",
];

export function useKeyboardShortcuts(session: GameSession, viewRef: ViewRef): void {
  useKeys((event) => !isTyping(event.target) && handled(event, session, viewRef));
}

/** The keys of a replay, by name; those of a slider, a menu or a button that has the focus are its own. */
export function useReplayKeys(keys: Readonly<Record<string, () => void>>): void {
  useKeys(({ key, target }) => {
    const press = keys[key];
    if (!press || isOwn(key, target)) return false;
    press();
    return true;
  });
}

/** Keys that nothing else on the page has taken; `press` says whether it takes one. */
function useKeys(press: (event: KeyboardEvent) => boolean): void {
  const current = useRef(press);
  current.current = press;
  useLayoutEffect(() => {
    function pressed(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]")) return;
      if (current.current(event)) event.preventDefault();
    }
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** Keys that may be held: they move or zoom. Others do what they do once. */
const HELD = /^(Arrow|Page|Home|End|Tab|[-+])/;

/**
 * Tells the gate when a touch or a key begins, and lets no held key do anything twice. A click without a touch comes
 * from a screen reader or a key.
 */
export function useTouches(session: GameSession): void {
  useLayoutEffect(() => {
    let isTouched = false;
    const touch = ({ timeStamp: at, clientX: x, clientY: y }: MouseEvent): void =>
      session.gate.touch({ at, x, y });
    const down = (event: PointerEvent): void => {
      isTouched = true;
      touch(event);
    };
    const click = (event: MouseEvent): void => {
      if (!isTouched) touch(event);
      isTouched = false;
    };
    const key = (event: KeyboardEvent): void => {
      const { x, y } = (event.target as Element).getBoundingClientRect();
      if (!event.repeat) return session.gate.touch({ at: event.timeStamp, key: event.key, x, y });
      if (HELD.test(event.key) || isTyping(event.target)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const ending = new AbortController();
    const first = { capture: true, signal: ending.signal };
    addEventListener("pointerdown", down, first);
    addEventListener("click", click, first);
    addEventListener("keydown", key, first);
    return () => ending.abort();
  }, [session]);
}

/** The question mark opens the help, in a game and in the lobby. */
export function useHelpShortcut(help: () => void): void {
  useKeys(({ key, target }) => {
    if (key !== "?" || isTyping(target)) return false;
    help();
    return true;
  });
}

/** A key for which there is nothing to do now says what there is to do. */
function handled(event: KeyboardEvent, session: GameSession, { current: view }: ViewRef): boolean {
  if (event.key === "s") {
    sayAgain(session);
    return true;
  }
  if (session.replayed !== null) return false;
  switch (event.key) {
    case "r":
    case "R":
      if (session.canTurn) rotate(session, event.key === "R" ? -1 : 1);
      else sayAgain(session);
      return true;
    case "u":
      if (session.canUndo) session.undo();
      else sayAgain(session);
      return true;
    case "p":
      if (session.canPass) pass(session);
      else sayAgain(session);
      return true;
    case "Enter":
      if (!isAnywhere(event.target) && !isStepper(event.target)) return false;
      if (session.selectedMove) confirm(session);
      else sayAgain(session);
      return true;
    case "Escape":
      session.deselect();
      session.inspect(null);
      session.pointOut(null);
      return true;
    case "+":
      view?.zoom(STEP);
      return true;
    case "-":
      view?.zoom(1 / STEP);
      return true;
    case "f":
      view?.showWhole();
      return true;
    case "ArrowUp":
    case "ArrowDown":
    case "ArrowLeft":
    case "ArrowRight":
      return arrow(event, view);
    case "PageDown":
    case "PageUp":
      return !isScrolled(event.target) && focusFirst();
    default:
      return false;
  }
}

/** With shift, arrows move the board; alone they lead to the first choice. */
function arrow(event: KeyboardEvent, view: ViewRef["current"]): boolean {
  if (event.shiftKey) {
    const across = { ArrowLeft: PAN, ArrowRight: -PAN }[event.key] ?? 0;
    const down = { ArrowUp: PAN, ArrowDown: -PAN }[event.key] ?? 0;
    view?.pan(across, down);
    return true;
  }
  return !isScrolled(event.target) && focusFirst();
}

function focusFirst(): boolean {
  FIRST.map((selector) => document.querySelector<HTMLElement | SVGElement>(selector))
    .find((found) => found !== null)
    ?.focus();
  return true;
}

/** Whether keys belong to what has the focus. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
}

/** Whether a key does something to what has the focus. */
function isOwn(key: string, target: EventTarget | null): boolean {
  if (target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLInputElement) return target.type !== "range" || /^(Arrow|Home|End)/.test(key);
  return key === " " && target instanceof Element && target.closest("button, a") !== null;
}

/** Whether arrows and pages are for what has the focus: the menu, and words or a list of which there is more. */
export function isScrolled(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.closest(".menu") !== null || (target.matches("[tabindex='0']") && edgesWithMore(target).length > 0)
  );
}

function isStepper(target: EventTarget | null): boolean {
  return target instanceof Element && target.role === "spinbutton";
}
