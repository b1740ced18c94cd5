/** The tile to place: a tap turns it, and it can be dragged onto the board. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { SLACK } from "../board/gestures.ts";
import type { Pictures } from "../board/pictures.ts";
import type { Point, ViewRef } from "../board/view.ts";
import { text } from "../messages/index.ts";
import { keyOf, sameCell } from "../model/cells.ts";
import { tileInWords, tilesOf } from "../model/tileset.ts";
import { choose, turn } from "../table/deeds.ts";
import type { Table } from "../table/table.ts";
import { TileFace } from "./tile_face.tsx";

interface HandProps {
  readonly table: Table;
  readonly pictures: Pictures;
  readonly tile: string;
  readonly viewRef: ViewRef;
}

export function Hand({ table, pictures, tile, viewRef }: HandProps): JSX.Element | null {
  const start = useRef<Point | null>(null);
  const hasMoved = useRef(false);
  const [dragged, setDragged] = useState<Point | null>(null);
  useEffect(() => pictures.fetchAll(tile), [pictures, tile]);
  const type = table.tileset && tilesOf(table.tileset).get(tile);
  if (!type) return null;
  const { rotation } = table.selection;
  const label = tileInWords(type, rotation);

  function down(event: PointerEvent & { currentTarget: Element }): void {
    start.current = { x: event.clientX, y: event.clientY };
    hasMoved.current = false;
    event.currentTarget.setPointerCapture(event.pointerId);
  }

  function move({ clientX: x, clientY: y }: PointerEvent): void {
    if (!start.current) return;
    if (Math.hypot(x - start.current.x, y - start.current.y) > SLACK) hasMoved.current = true;
    if (!hasMoved.current) return;
    const cell = viewRef.current?.cellAt({ x, y });
    const choice = cell && table.choices.cells.get(keyOf(cell));
    if (choice && !sameCell(choice.cell, table.selection.cell)) choose.cell(table, choice.cell);
    setDragged(choice ? null : { x, y });
  }

  function up(event: PointerEvent): void {
    const cell = viewRef.current?.cellAt({ x: event.clientX, y: event.clientY });
    if (hasMoved.current && !(cell && table.choices.cells.has(keyOf(cell)))) table.deselect();
    start.current = null;
    setDragged(null);
  }

  return (
    <>
      <button
        class="hand"
        aria-label={`${label}. ${text.dock.rotate}`}
        title={text.dock.rotate}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={() => setDragged(null)}
        onClick={() => hasMoved.current || turn(table)}
      >
        <TileFace pictures={pictures} tile={tile} rotation={rotation} label={label} />
      </button>
      {dragged && (
        <div class="dragged" style={{ left: `${dragged.x}px`, top: `${dragged.y}px` }} aria-hidden="true">
          <TileFace pictures={pictures} tile={tile} rotation={rotation} label="" />
        </div>
      )}
    </>
  );
}
