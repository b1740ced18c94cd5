/** What choices and places are worth: asked of the service beside the moves, so that no turn waits for it. */

import type { BoardFeature, Game, LegalMoves, Move } from "south-seas-client";
import { type Cell, sameCell } from "../model/cells.ts";
import { type Hint, featureAt, hintOfFeature, hintOfMove } from "../model/hints.ts";
import { service } from "../service.ts";

/** What somebody looks at: a tile, and a segment of it, for a feature or a figure; null for the tile alone. */
export interface Inspection {
  readonly cell: Cell;
  readonly segment: number | null;
}

export class Appraisal {
  inspected: Inspection | null = null;
  private moves: LegalMoves | null = null;
  /** The features of the tile that is looked at, and the state of the game that they are of. */
  private tile: {
    readonly cell: Cell;
    readonly version: number;
    readonly features: readonly BoardFeature[];
  } | null = null;

  constructor(private readonly id: string) {}

  /** Forgets what was read, in another language. */
  forget(): void {
    this.moves = null;
    this.tile = null;
  }

  /** The segment of a tile to look at next, by key: of each of its features one after the other. */
  following(cell: Cell): number {
    const { inspected, tile } = this;
    if (!inspected || !tile || !sameCell(inspected.cell, cell) || !sameCell(tile.cell, cell)) return 0;
    const touched = featureAt(tile.features, cell, inspected.segment);
    const next = tile.features[(touched ? tile.features.indexOf(touched) + 1 : 0) % tile.features.length];
    return next?.segments.find(({ x, y }) => x === cell.x && y === cell.y)?.segment ?? 0;
  }

  /** What a legal move is worth; null while that is not known. */
  hintOf({ id }: Move): Hint | null {
    const move = this.moves?.moves.find((one) => one.id === id);
    return move ? hintOfMove(move) : null;
  }

  /** The features of the tile that is looked at, the touched one first; empty while they are not known. */
  get features(): readonly BoardFeature[] {
    const { inspected, tile } = this;
    if (!inspected || !tile || !sameCell(inspected.cell, tile.cell)) return [];
    const touched = featureAt(tile.features, inspected.cell, inspected.segment);
    return touched ? [touched, ...tile.features.filter((one) => one !== touched)] : tile.features;
  }

  /** What the touched feature is worth; null where none is touched, and while that is not known. */
  get inspectedHint(): Hint | null {
    const touched = this.inspected && featureAt(this.features, this.inspected.cell, this.inspected.segment);
    return touched ? hintOfFeature(touched) : null;
  }

  /** Reads what each move is worth. */
  async readMoves(game: Game, token: string | null): Promise<void> {
    if (this.moves?.version === game.version) return;
    this.moves = await service.legalMoves(this.id, { effects: true }, { token });
  }

  /** Reads the features of the tile that is looked at. */
  async readFeatures({ version }: Game, token: string | null): Promise<void> {
    const cell = this.inspected?.cell;
    if (!cell || (this.tile?.version === version && sameCell(this.tile.cell, cell))) return;
    const read = await service.features(this.id, { x: cell.x, y: cell.y }, { token });
    if (sameCell(cell, this.inspected?.cell ?? null))
      this.tile = { cell, version: read.version, features: read.features };
  }
}
