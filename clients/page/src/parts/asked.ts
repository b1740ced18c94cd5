/** What is to be done now, in words for those who do not see it. */

import type { Game, TileSet } from "south-seas-client";
import { useEffect } from "preact/hooks";
import { text } from "../messages/index.ts";
import { keyOf } from "../model/cells.ts";
import { NOTHING } from "../model/choices.ts";
import { durationOf } from "../model/deadline.ts";
import { kindAt, nameOf, sentences } from "../model/event_sentences.ts";
import { needed, progressOf, total } from "../model/payments.ts";
import { costInWords, shipOf, tileInWords, tilesOf } from "../model/tileset.ts";
import { service } from "../service.ts";
import { announcer } from "../session/announcer.ts";
import type { GameSession } from "../session/game_session.ts";

/** Says it whenever it changes. */
export function useAsked(session: GameSession): void {
  const words = askedInWords(session);
  useEffect(() => {
    if (words !== "") announcer.ask(words);
  }, [words]);
}

/** Says it again, and how much time is left. */
export function sayAgain(session: GameSession): void {
  const deadline = session.game?.turn?.deadline;
  const left = deadline ? [text.asked.left(durationOf(service.clock.secondsLeft(deadline)))] : [];
  announcer.ask([askedInWords(session), ...left].join(" "));
}

/** The hint of a lesson; the step of a replay, what is chosen, or what can be; "" where nothing is asked, or not known. */
export function askedInWords(session: GameSession): string {
  const hint = session.replayed === null ? (session.hint?.words ?? "") : "";
  return [hint, questionInWords(session)].filter((words) => words !== "").join(" ");
}

function questionInWords(session: GameSession): string {
  const { game, tileset, decider } = session;
  if (!game || !tileset || session.isRecap) return "";
  if (session.replayed !== null) return stepInWords(session, tileset);
  if (game.result)
    return text.asked.scores(game.result.scores.map(({ seat, total }) => [nameOf(game, seat), total]));
  if (!game.turn) return "";
  if (decider === null) {
    const { decider: other } = game.turn;
    return game.players[other]?.bot === null ? text.actionBar.theirTurn(nameOf(game, other)) : "";
  }
  if (session.isUnsent) return text.unsent.waits;
  if (session.choices === NOTHING) return "";
  const chosen = chosenInWords(session, game, tileset);
  if (chosen === null) return choicesInWords(session, game, tileset, decider);
  const own = session.worth?.gains.get(decider);
  const gained = own ? `${text.worth.get} ${text.amounts(own.wares, own.points)}.` : "";
  return [chosen, gained, session.worth?.words ?? ""].filter((said) => said !== "").join(" ");
}

function stepInWords({ stepShown, replayed, lastStep }: GameSession, tileset: TileSet): string {
  const said = stepShown ? sentences(stepShown.diff, stepShown.game, tileset).join(" ") : "";
  return text.course.said(replayed ?? lastStep, lastStep, said);
}

function chosenInWords({ choices, selection }: GameSession, game: Game, tileset: TileSet): string | null {
  const { cell, rotation } = selection;
  const choice = cell && choices.cells.get(keyOf(cell));
  if (choice) {
    const isOnly = choice.rotations.size === 1;
    const how = isOnly ? text.asked.placeChosenOnly : text.asked.placeChosen;
    const { at, turned } = text.describe;
    return how(at(cell.x, cell.y), turned(rotation), heldTile(game, tileset, rotation));
  }
  const spot = choices.spots.find(({ key }) => key === selection.spot);
  if (spot) {
    const kind = kindAt(game, tileset, spot.cell, spot.segment);
    const isPlaced = spot.kind === "place";
    const { islanderChosen, retrieveChosen } = text.actionBar;
    return text.asked.chosen(isPlaced ? islanderChosen(kind) : retrieveChosen(kind));
  }
  return payingInWords(choices, selection, tileset);
}

function payingInWords(
  { ships }: GameSession["choices"],
  selection: GameSession["selection"],
  tileset: TileSet,
): string | null {
  const choice = ships.find(({ ship }) => ship === selection.ship);
  const ship = choice && shipOf(tileset, choice.ship);
  if (!ship) return null;
  if (total(selection.wares) === 0 && needed(choice) === 0) return text.asked.chosen("");
  switch (progressOf(choice, selection.wares)) {
    case "complete":
      return text.asked.chosen(text.asked.pays(text.wares(selection.wares)));
    case "impossible":
      return text.pay.impossible(costInWords(ship));
    case "missing":
      return `${text.pay.progress(total(selection.wares), needed(choice))} ${text.pay.takes(costInWords(ship))}`;
  }
}

function choicesInWords(
  { choices, selection, ownSeats }: GameSession,
  game: Game,
  tileset: TileSet,
  decider: number,
): string {
  const { cells, spots, ships } = choices;
  const mine = (what: string): string =>
    ownSeats.size > 1 ? text.asked.turn(nameOf(game, decider), what) : text.asked.yourTurn(what);
  switch (game.turn?.phase) {
    case "place_tile":
      return mine(text.asked.place(heldTile(game, tileset, selection.rotation), cells.size));
    case "islander": {
      const retrievable = spots.filter(({ kind }) => kind === "retrieve").length;
      return text.asked.islander(spots.length - retrievable, retrievable);
    }
    case "take_ship":
      return mine(text.asked.takeShip(ships.length));
    case "deliver":
      return text.asked.deliver(ships.length);
    default:
      return "";
  }
}

function heldTile({ turn }: Game, tileset: TileSet, rotation: number): string {
  const tile = turn && tilesOf(tileset).get(turn.tile);
  return tile ? tileInWords(tile, rotation) : "";
}
