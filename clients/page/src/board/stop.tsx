/** A place on the board where the focus can stop: a cell, or a spot on a tile. Where it can be chosen, it is a button. */

import type { ComponentChildren, JSX } from "preact";
import { text } from "../messages/index.ts";
import { type Cell, keyOf } from "../model/cells.ts";

export interface StopChoice {
  readonly isSelected: boolean;
  /** Whether the lesson suggests it. */
  readonly isShining: boolean;
  readonly onChoose: () => void;
  readonly onConfirm: () => void;
}

interface StopProps {
  readonly name: string;
  readonly cell: Cell;
  /** Its middle, in units of the board. */
  readonly middle: Cell;
  readonly label: string;
  readonly description?: string | undefined;
  /** Whether Tab reaches it. */
  readonly isReachable: boolean;
  /** Null where there is nothing to choose. */
  readonly choice: StopChoice | null;
  /** What Enter does where there is nothing to choose. */
  readonly onInspect?: (() => void) | undefined;
  readonly children: ComponentChildren;
}

export function Stop(props: StopProps): JSX.Element {
  const { choice, middle } = props;
  function key(event: KeyboardEvent): void {
    const act = choice ? (choice.isSelected ? choice.onConfirm : choice.onChoose) : props.onInspect;
    if (!act || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
  const classes = [
    choice ? "choice" : "walked",
    ...(choice?.isSelected ? ["selected"] : []),
    ...(choice?.isShining ? ["shining"] : []),
  ];
  return (
    <g
      class={classes.join(" ")}
      role={choice ? "button" : "img"}
      aria-roledescription={choice ? undefined : text.walk.cell}
      tabindex={props.isReachable ? 0 : -1}
      aria-label={choice?.isShining ? text.lesson.shining(props.label) : props.label}
      aria-description={props.description}
      aria-pressed={choice?.isSelected}
      data-stop={props.name}
      data-choice={choice ? props.name : undefined}
      data-suggested={choice?.isShining ? "" : undefined}
      data-cell={keyOf(props.cell)}
      data-x={middle.x}
      data-y={middle.y}
      onClick={choice?.onChoose}
      onKeyDown={key}
    >
      {props.children}
    </g>
  );
}
