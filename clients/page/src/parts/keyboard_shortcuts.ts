/** The keys that work wherever the focus is. */

import { useLayoutEffect } from "preact/hooks";
import type { ViewRef } from "../board/view.ts";
import { STEP } from "../board/zoom.tsx";
import { confirm, pass, rotate } from "../session/actions.ts";
import type { GameSession } from "../session/game_session.ts";

const PAN = 80;
/** What arrows lead to from nowhere: wares to pay with, a place or spot on the board, a ship. */
const FIRST = "[role=spinbutton], [data-choice][tabindex='0'], .ship.choosable";

export function useKeyboardShortcuts(session: GameSession, viewRef: ViewRef): void {
  useLayoutEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      if (handled(event, session, viewRef)) event.preventDefault();
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [session]);
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
    const touch = (event: Event): void => session.gate.touch(event.timeStamp);
    const down = (event: Event): void => {
      isTouched = true;
      touch(event);
    };
    const click = (event: Event): void => {
      if (!isTouched) touch(event);
      isTouched = false;
    };
    const key = (event: KeyboardEvent): void => {
      if (!event.repeat) return touch(event);
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
  useLayoutEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      help();
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function handled(event: KeyboardEvent, session: GameSession, { current: view }: ViewRef): boolean {
  if (session.replayed !== null) return replayed(event, session);
  switch (event.key) {
    case "r":
    case "R":
      rotate(session, event.key === "R" ? -1 : 1);
      return true;
    case "u":
      session.undo();
      return true;
    case "p":
      pass(session);
      return true;
    case "Enter":
      if ((event.target !== document.body && !isStepper(event.target)) || !session.selectedMove) return false;
      confirm(session);
      return true;
    case "Escape":
      session.deselect();
      session.inspect(null);
      session.pointOut(null);
      return true;
    case "+":
      view?.zoom(STEP, undefined, true);
      return true;
    case "-":
      view?.zoom(1 / STEP, undefined, true);
      return true;
    case "f":
      if (view) view.isFitted = true;
      view?.refit();
      return true;
    case "ArrowUp":
    case "ArrowDown":
    case "ArrowLeft":
    case "ArrowRight":
      return arrow(event, view);
    default:
      return false;
  }
}

/** With shift, arrows move the board; alone, from nowhere, they lead to the first choice. */
function arrow(event: KeyboardEvent, view: ViewRef["current"]): boolean {
  if (event.shiftKey) {
    const across = { ArrowLeft: PAN, ArrowRight: -PAN }[event.key] ?? 0;
    const down = { ArrowUp: PAN, ArrowDown: -PAN }[event.key] ?? 0;
    view?.pan(across, down);
    return true;
  }
  if (event.target !== document.body) return false;
  document.querySelector<HTMLElement | SVGElement>(FIRST)?.focus();
  return true;
}

function replayed(event: KeyboardEvent, session: GameSession): boolean {
  const step = session.replayed ?? 1;
  switch (event.key) {
    case "ArrowLeft":
      session.replay(step - 1);
      return true;
    case "ArrowRight":
      session.replay(step + 1);
      return true;
    case "Escape":
      session.replay(null);
      return true;
    default:
      return false;
  }
}

/** Whether keys belong to what has the focus. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
}

function isStepper(target: EventTarget | null): boolean {
  return target instanceof Element && target.role === "spinbutton";
}
