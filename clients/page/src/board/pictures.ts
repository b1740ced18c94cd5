/** The service's pictures of tiles: each is fetched once, checked, and drawn by reference wherever the tile lies. */

import type { PlacedTile, TileSet } from "south-seas-client";
import { type Cell, SIZE } from "../model/cells.ts";
import { Observable } from "../model/observable.ts";

const SVG = "http://www.w3.org/2000/svg";
/** What a picture may consist of; anything else in it is left out. */
const ELEMENTS = new Set(
  "g path rect circle ellipse line polyline polygon use defs clipPath mask linearGradient radialGradient stop pattern text".split(
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

const ROTATIONS = 4;
/** Pictures asked for at once: the service lets one address wait for eight, and a family shares one. */
const MAX_REQUESTS = 3;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 5000;
const MIDDLE: Cell = { x: SIZE / 2, y: SIZE / 2 };

/** All pictures of a tile set, of each tile in each rotation: what is printed on them stays upright. */
export class Pictures extends Observable {
  private readonly places = new Map<string, Places>();
  private readonly wanted = new Set<string>();
  /** Pictures whose places were asked for before they were known: what stands there is drawn again. */
  private readonly asked = new Set<string>();
  private readonly queue: { tile: string; rotation: number; id: string }[] = [];
  private requests = 0;
  private retryMs = FIRST_RETRY_MS;

  constructor(private readonly tileset: TileSet) {
    super();
  }

  /** The reference to a picture, which is fetched if it is not there yet. */
  href(tile: string, rotation: number): string {
    const id = this.symbolId(tile, rotation);
    if (!this.wanted.has(id)) {
      this.wanted.add(id);
      const known = document.getElementById(id);
      if (known) void Promise.resolve().then(() => this.keep(id, known));
      else {
        this.queue.push({ tile, rotation, id });
        void this.work();
      }
    }
    return `#${id}`;
  }

  /** Fetches what is queued, a few at once; what fails goes back into the queue, for a while later. */
  private async work(): Promise<void> {
    if (this.requests >= MAX_REQUESTS) return;
    this.requests++;
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      if (await this.fetch(next.tile, next.rotation, next.id)) {
        this.retryMs = FIRST_RETRY_MS;
      } else {
        this.queue.push(next);
        await new Promise((resolve) => setTimeout(resolve, this.retryMs));
        this.retryMs = Math.min(2 * this.retryMs, LAST_RETRY_MS);
        if (!this.isObserved) this.giveUp();
      }
    }
    this.requests--;
  }

  /** Fetches a tile's picture in every rotation, so that it can be turned without a network. */
  fetchAll(tile: string): void {
    for (let rotation = 0; rotation < ROTATIONS; rotation++) this.href(tile, rotation);
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
    const id = this.symbolId(tile, rotation);
    const places = this.places.get(id);
    if (!places) this.asked.add(id);
    return places;
  }

  private symbolId(tile: string, rotation: number): string {
    return `tile-${this.tileset.id}-${tile}-${rotation}`;
  }

  /** Empties the queue: nobody sees the board any more. */
  private giveUp(): void {
    for (const { id } of this.queue.splice(0)) this.wanted.delete(id);
  }

  /** Fetches one picture into the document; false where it could not be had. */
  private async fetch(tile: string, rotation: number, id: string): Promise<boolean> {
    const url = `/v1/tilesets/${this.tileset.id}/tiles/${tile}.svg?rotation=${rotation}`;
    const response = await fetch(url).catch(() => null);
    // The connection may also be lost between the response's head and its end.
    const svg = response?.ok ? await response.text().catch(() => null) : null;
    if (svg === null) return false;
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    const symbol = document.createElementNS(SVG, "symbol");
    symbol.id = id;
    symbol.setAttribute("viewBox", parsed.getAttribute("viewBox") ?? `0 0 ${SIZE} ${SIZE}`);
    symbol.append(...copies(parsed, `${id}-`));
    shelf().append(symbol);
    this.keep(id, parsed);
    return true;
  }

  /** Keeps the places; the tiles show the picture by themselves, as they refer to it. */
  private keep(id: string, picture: Element): void {
    this.places.set(id, placesIn(picture));
    if (this.asked.delete(id)) this.notify();
  }
}

/** Where the pictures are kept in the document. It is drawn, with no size, as gradients of what is not do not work. */
function shelf(): SVGElement {
  const known = document.querySelector<SVGElement>("svg.shelf");
  if (known) return known;
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("class", "shelf");
  made.setAttribute("aria-hidden", "true");
  document.body.append(made);
  return made;
}

/** Copies of an element's children with only what a picture needs, and with ids that are its own. */
function copies(parent: Element, prefix: string): Element[] {
  return [...parent.children]
    .filter((child) => ELEMENTS.has(child.localName))
    .map((child) => copy(child, prefix));
}

function copy(element: Element, prefix: string): Element {
  const made = document.createElementNS(SVG, element.localName);
  for (const { localName, value } of element.attributes) {
    if (FORBIDDEN.test(localName)) continue;
    if (localName === "id") made.setAttribute("id", prefix + value);
    else if (localName === "href")
      value.startsWith("#") && made.setAttribute("href", `#${prefix}${value.slice(1)}`);
    else made.setAttribute(localName, value.replace(/url\(#/g, `url(#${prefix}`));
  }
  if (element.localName === "text") made.textContent = element.textContent;
  else made.append(...copies(element, prefix));
  return made;
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
