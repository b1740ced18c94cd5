import assert from "node:assert/strict";
import { test } from "node:test";
import { MARKET, START, TILESET, ship } from "../testing/games.ts";
import { costInWords, shipInWords, shipOf, tileInWords, tilesOf } from "./tileset.ts";

test("tiles and ships are found by id", () => {
  assert.equal(tilesOf(TILESET).get("start"), START);
  assert.equal(tilesOf(TILESET), tilesOf(TILESET));
  assert.equal(shipOf(TILESET, "any")?.cost.any, 6);
  assert.equal(shipOf(TILESET, "none"), null);
});

test("a cost in words (R6.3)", () => {
  assert.equal(
    costInWords(ship("s", { bananas: 1, shells: 2, any: 1 })),
    "1 banana, 2 shells and 1 ware of any kind",
  );
  assert.equal(costInWords(ship("s", { same: [4] })), "4 wares of one kind");
  assert.equal(shipInWords(ship("s", { any: 6 })), "Ship of 5 points for 6 wares of any kind");
});

test("a tile in words has its turned sides, and all that is printed on it", () => {
  assert.equal(
    tileInWords(START, 1),
    "Tile with island north, sea east, bridge south, sea west; 1 banana, 1 shell, 3 fish and a boat",
  );
  assert.match(tileInWords(MARKET, 0), /; a market$/);
});
