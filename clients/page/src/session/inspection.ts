/** What somebody looks at on the board, and what it is worth there, as the service says it. */

import type { BoardFeature, Game } from "south-seas-client";
import { type Cell, sameCell } from "../model/cells.ts";
import { type Worth, featureAt, worthOfFeature } from "../model/worth.ts";
import { service } from "../service.ts";

/** A tile, and a segment of it, for a feature or a figure; null where it is not known which. */
interface Inspected {
  readonly cell: Cell;
  readonly segment: number | null;
}

/** The features of a tile in one state of the game. */
interface TileFeatures {
  readonly cell: Cell;
  readonly version: number;
  readonly features: readonly BoardFeature[];
}

export class Inspection {
  inspected: Inspected | null = null;
  private tile: TileFeatures | null = null;

  constructor(private readonly id: string) {}

  /** Forgets what was read, in another language. */
  forget(): void {
    this.tile = null;
  }

  /** The features of the tile, the touched one first; empty while they are not known. */
  get features(): readonly BoardFeature[] {
    const { inspected, tile } = this;
    if (!inspected || !tile || !sameCell(inspected.cell, tile.cell)) return [];
    const touched = featureAt(tile.features, inspected.cell, inspected.segment);
    return touched ? [touched, ...tile.features.filter((one) => one !== touched)] : tile.features;
  }

  /** What the touched feature is worth; null where none is touched, and while that is not known. */
  get worth(): Worth | null {
    const touched = this.inspected && featureAt(this.features, this.inspected.cell, this.inspected.segment);
    return touched ? worthOfFeature(touched) : null;
  }

  /** The segment of a tile to look at next, by key: of each of its features one after the other. */
  following(cell: Cell): number {
    const { inspected, tile } = this;
    if (!inspected || !tile || !sameCell(inspected.cell, cell) || !sameCell(tile.cell, cell)) return 0;
    const touched = featureAt(tile.features, cell, inspected.segment);
    const next = tile.features[(touched ? tile.features.indexOf(touched) + 1 : 0) % tile.features.length];
    return next?.segments.find(({ x, y }) => x === cell.x && y === cell.y)?.segment ?? 0;
  }

  /** Reads the features of the tile, where they are not known for this state of the game. */
  async read({ version }: Game, token: string | null): Promise<void> {
    const cell = this.inspected?.cell;
    if (!cell || (this.tile?.version === version && sameCell(this.tile.cell, cell))) return;
    const read = await service.features(this.id, { x: cell.x, y: cell.y }, { token });
    this.tile = { cell, version: read.version, features: read.features };
  }
}
