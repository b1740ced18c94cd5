/** What somebody looks at on the board, and what the service says of its features. */

import type { BoardFeature, Game } from "south-seas-client";
import { type Cell, sameCell } from "../model/cells.ts";
import { type Worth, featureAt, featuresOn, worthOfFeature } from "../model/worth.ts";
import { service } from "../service.ts";

/** A tile, and a segment of it, for a feature or a figure; null where it is not known which. */
interface Inspected {
  readonly cell: Cell;
  readonly segment: number | null;
}

/** The features of the whole board in one state of the game. */
interface Board {
  readonly version: number;
  readonly features: readonly BoardFeature[];
}

export class Inspection {
  inspected: Inspected | null = null;
  /** The cell that the keyboard has come to; null where the focus is not on the board. */
  walked: Cell | null = null;
  private board: Board | null = null;
  private reading: { readonly version: number; readonly done: Promise<void> } | null = null;

  constructor(private readonly id: string) {}

  /** Forgets what was read, in another language. */
  forget(): void {
    [this.board, this.reading] = [null, null];
  }

  /** The features of a state of the game; null while they are not known, as in a replay and without a network. */
  featuresOf({ version }: Game): readonly BoardFeature[] | null {
    return this.board?.version === version ? this.board.features : null;
  }

  /** The features of the touched tile, the touched one first; empty while they are not known. */
  get features(): readonly BoardFeature[] {
    if (!this.inspected) return [];
    const { touched } = this;
    const features = this.featuresOn(this.inspected.cell);
    return touched ? [touched, ...features.filter((one) => one !== touched)] : features;
  }

  /** What the touched feature is worth; null where none is touched, and while that is not known. */
  get worth(): Worth | null {
    return this.touched && worthOfFeature(this.touched);
  }

  /** The segment of a tile to look at next, by key: of each of its features one after the other. */
  following(cell: Cell): number {
    const { inspected, touched } = this;
    const features = this.featuresOn(cell);
    const isNext = touched !== null && inspected !== null && sameCell(inspected.cell, cell);
    const next = features[isNext ? (features.indexOf(touched) + 1) % features.length : 0];
    return next?.segments.find((segment) => sameCell(segment, cell))?.segment ?? 0;
  }

  /** Reads the features, once for each state of the game. */
  async read({ version }: Game, token: string | null): Promise<void> {
    if (this.reading?.version !== version) this.reading = { version, done: this.readBoard(token) };
    await this.reading.done;
  }

  private async readBoard(token: string | null): Promise<void> {
    try {
      this.board = await service.features(this.id, {}, { token });
    } catch (error) {
      this.reading = null;
      throw error;
    }
  }

  private get touched(): BoardFeature | null {
    return (
      this.inspected && featureAt(this.board?.features ?? [], this.inspected.cell, this.inspected.segment)
    );
  }

  private featuresOn(cell: Cell): BoardFeature[] {
    return featuresOn(this.board?.features ?? [], cell);
  }
}
