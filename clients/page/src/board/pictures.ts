/** The service's pictures of tiles: one SVG, which is fetched once; what is shown of it is checked and referred to. */

import type { PlacedTile } from "south-seas-client";
import { type Cell, SIZE } from "../model/cells.ts";
import { Observable } from "../model/observable.ts";
import { service } from "../service.ts";

const SVG = "http://www.w3.org/2000/svg";
/** What a picture may consist of; anything else in it is left out. */
const ELEMENTS = new Set(
  "g path rect circle ellipse line polyline polygon use symbol defs clipPath mask linearGradient radialGradient stop pattern text".split(
    " ",
  ),
);
const FORBIDDEN = /^(on.*|style)$/i;

/** Where things are on a tile as it is printed, in its own units. */
interface Places {
  /** Where an islander stands, by segment. */
  readonly spots: ReadonlyMap<number, Cell>;
  /** Where fish are, by `segment.group`. */
  readonly groups: ReadonlyMap<string, Cell>;
}

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;
const MIDDLE: Cell = { x: SIZE / 2, y: SIZE / 2 };

/** What has been fetched, by the set's id. */
const SHELVES = new Map<string, Shelf>();

/** All pictures of a tile set, of each tile in each rotation: what is printed on them stays upright. */
export class Pictures extends Observable {
  /** What was to be shown before it was there. */
  private readonly awaited = new Set<string>();
  private readonly places = new Map<string, Places>();
  private isClosed = false;

  /** `tileset` is the set's id. */
  constructor(private readonly tileset: string) {
    super();
    void this.load();
  }

  /** Whether there is anything to see. */
  get isLoaded(): boolean {
    return SHELVES.has(this.tileset);
  }

  /** The reference to a picture, which is shown as soon as it is there. */
  href(tile: string, rotation: number): string {
    const id = idOf(tile, rotation);
    const shelf = SHELVES.get(this.tileset);
    if (shelf) shelf.put(id);
    else this.awaited.add(id);
    return `#${this.tileset}-${id}`;
  }

  /** Where an islander stands on a segment. */
  spot(tile: string, rotation: number, segment: number): Cell {
    return this.placesOn(tile, rotation)?.spots.get(segment) ?? MIDDLE;
  }

  /** The segment of a placed tile that is nearest to a point of the board; null where its places are not known yet. */
  nearestSegment({ tile, rotation }: PlacedTile, cell: Cell, { x, y }: Cell): number | null {
    let [nearest, least]: [number | null, number] = [null, Infinity];
    for (const [segment, spot] of this.placesOn(tile, rotation)?.spots ?? []) {
      const away = Math.hypot(cell.x * SIZE + spot.x - x, cell.y * SIZE + spot.y - y);
      if (away < least) [nearest, least] = [segment, away];
    }
    return nearest;
  }

  /** Where a group of fish is. */
  group(tile: string, rotation: number, segment: number, group: number): Cell {
    const places = this.placesOn(tile, rotation);
    return places?.groups.get(`${segment}.${group}`) ?? this.spot(tile, rotation, segment);
  }

  private placesOn(tile: string, rotation: number): Places | undefined {
    const id = idOf(tile, rotation);
    const picture = this.places.has(id) ? null : SHELVES.get(this.tileset)?.picture(id);
    if (picture) this.places.set(id, placesIn(picture));
    return this.places.get(id);
  }

  /** Nobody looks at the board any more. */
  close(): void {
    this.isClosed = true;
  }

  /** Fetches the pictures, after growing pauses again, until there is nobody to see them. */
  private async load(): Promise<void> {
    if (this.isLoaded) return;
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, LAST_RETRY_MS)) {
      const svg = await this.fetch();
      if (svg !== null) return this.keep(svg);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (this.isClosed) return;
    }
  }

  /** Returns the SVG; null where it could not be had. */
  private async fetch(): Promise<string | null> {
    const drawing = document.querySelector<HTMLMetaElement>("meta[name=drawing]")?.content ?? "";
    const response = await fetch(service.tilesUrl(this.tileset, { drawing })).catch(() => null);
    // The connection may also be lost between the response's head and its end.
    return response?.ok ? response.text().catch(() => null) : null;
  }

  private keep(svg: string): void {
    const shelf = SHELVES.get(this.tileset) ?? new Shelf(svg, `${this.tileset}-`);
    SHELVES.set(this.tileset, shelf);
    for (const id of this.awaited) shelf.put(id);
    this.notify();
  }
}

function idOf(tile: string, rotation: number): string {
  return `tile-${tile}-${rotation}`;
}

/** The pictures of a set. In the page's document, where `use` finds them, are only those that have been shown. */
class Shelf {
  private readonly svg: Document;
  private readonly shown = document.createElementNS(SVG, "defs");
  private readonly ids = new Set<string>();

  /** `prefix` makes the ids its own. */
  constructor(
    svg: string,
    private readonly prefix: string,
  ) {
    this.svg = new DOMParser().parseFromString(svg, "image/svg+xml");
    // It is drawn, with no size, as gradients of what is not do not work.
    const shelf = document.createElementNS(SVG, "svg");
    shelf.setAttribute("class", "shelf");
    shelf.setAttribute("aria-hidden", "true");
    shelf.append(this.shown);
    document.body.append(shelf);
  }

  /** A picture as it was fetched; null where there is none. */
  picture(id: string): Element | null {
    return this.svg.getElementById(id);
  }

  /** Puts a picture into the document, once, with whatever it refers to. */
  put(id: string): void {
    if (this.ids.has(id)) return;
    this.ids.add(id);
    const picture = this.picture(id);
    if (picture && ELEMENTS.has(picture.localName)) this.shown.append(this.copy(picture));
  }

  /** A copy with only what a picture needs. */
  private copy(element: Element): Element {
    const made = document.createElementNS(SVG, element.localName);
    for (const { localName, value } of element.attributes) {
      if (FORBIDDEN.test(localName)) continue;
      if (localName === "id") made.setAttribute("id", this.prefix + value);
      else if (localName === "href") value.startsWith("#") && made.setAttribute("href", this.refer(value));
      else
        made.setAttribute(
          localName,
          value.replace(/(?<=url\()#[^)]*/g, (target) => this.refer(target)),
        );
    }
    if (element.localName === "text") made.textContent = element.textContent;
    for (const child of element.children) if (ELEMENTS.has(child.localName)) made.append(this.copy(child));
    return made;
  }

  private refer(target: string): string {
    this.put(target.slice(1));
    return `#${this.prefix}${target.slice(1)}`;
  }
}

function placesIn(picture: Element): Places {
  const spots = new Map<number, Cell>();
  const groups = new Map<string, Cell>();
  for (const segment of picture.querySelectorAll("[data-segment]")) {
    const index = Number(segment.getAttribute("data-segment"));
    const spot = pointOf(segment);
    if (spot && !spots.has(index)) spots.set(index, spot);
    for (const group of segment.querySelectorAll("[data-group]")) {
      const place = pointOf(group);
      if (place) groups.set(`${index}.${group.getAttribute("data-group")}`, place);
    }
  }
  return { spots, groups };
}

function pointOf(element: Element): Cell | null {
  const [x, y] = [element.getAttribute("data-x"), element.getAttribute("data-y")];
  return x === null || y === null ? null : { x: Number(x), y: Number(y) };
}
