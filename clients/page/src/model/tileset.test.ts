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
  assert.equal(costInWords(ship("s", { same: [4] })), "4 of one kind");
  assert.equal(costInWords(ship("s", { same: [3, 1] })), "3 of one kind and 1 of another");
  assert.equal(shipInWords(ship("s", { any: 6 })), "Ship of 5 points for 6 wares of any kind");
});

test("a tile in words has its features, with their turned sides and what is printed there", () => {
  assert.equal(
    tileInWords(START, 1),
    "Tile: island north, 1 banana; bridge south, 1 shell; sea east and south, 3 fish; sea south and west, a boat",
  );
  assert.equal(tileInWords(MARKET, 0), "Tile: market");
});
