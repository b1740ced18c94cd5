/** A game as this browser sees it: its state and history, the legal moves, and what is selected. */

import {
  type ActionResult,
  type Game,
  type LegalMoves,
  type Move,
  ProblemError,
  type Scores,
  type Status,
  type TileSet,
} from "south-seas-client";
import { language, text } from "../messages/index.ts";
import { type Choices, NOTHING, choicesIn, shownMoves } from "../model/choices.ts";
import { isStoodIn } from "../model/absence.ts";
import { type Cell, keyOf } from "../model/cells.ts";
import { segmentsInWords } from "../model/described_cells.ts";
import { type Gain, gainsBetween, newsFrom, turnFrom } from "../model/news.ts";
import { type Hint, hintFor, toldAfter } from "../model/lesson.ts";
import { LOBBY, goTo } from "../model/route.ts";
import { type Outline, type Worth, worthOfMove } from "../model/worth.ts";
import { removeGame, savePart, type StoredGame, saveGame, storedPart } from "../model/storage.ts";
import { Observable } from "../model/observable.ts";
import { sentences } from "../model/event_sentences.ts";
import { isUnanswered, reasonOf, service } from "../service.ts";
import { announcer } from "./announcer.ts";
import { Gate } from "./gate.ts";
import { GameHistory, type HistoryListener, type Step } from "./game_history.ts";
import { Inspection } from "./inspection.ts";
import { lessonState } from "./lesson.ts";
import { Network } from "./network.ts";
import { Outbox } from "./outbox.ts";
import { ownGames } from "./own_games.ts";
import { NOTHING_SELECTED, type Selection, selectedMove } from "./selection.ts";

/** Why a move is refused that was made for an earlier state of the game. */
const STALE_CODES = new Set(["version_mismatch", "not_active"]);

export class GameSession extends Observable implements HistoryListener {
  /** The id of the tile set, which is known before the set itself. */
  tilesetId: string | null = null;
  tileset: TileSet | null = null;
  /** What was refused, or dropped, and why; null where there is nothing to say. */
  notice: string | null = null;
  /** Why this game can no longer be read; null while it can. */
  fatal: string | null = null;
  isMissing = false;
  /** Whether an action is under way, or waits for the network. */
  isBusy = false;
  scores: Scores | null = null;
  choices: Choices = NOTHING;
  selection: Selection = NOTHING_SELECTED;
  /** The seat whose islanders are pointed out; null for none. */
  pointedOut: number | null = null;
  /** The cells that were last asked for; the board shows them. */
  places: readonly Cell[] = [];
  /** The step that a replay is at; null while the game itself is shown. */
  replayed: number | null = null;

  /** Whether a move was made here, so that its player knows what a turn is. */
  hasActed = false;
  /** Whether somebody has created the rematch while this game was looked at. */
  hasRematch = false;
  /** What the lesson says now; null where there is none. */
  hint: Hint | null = null;

  readonly network = new Network(() => this.recover());
  /** Through which each action of the user goes. */
  readonly gate = new Gate(() => this.notify());

  /** What of the board is looked at. */
  readonly inspection: Inspection;
  private readonly history: GameHistory;
  private readonly outbox: Outbox;
  private isReadingScores = false;
  private moves: LegalMoves | null = null;
  private isUnloaded = false;
  private readonly ignoreLanguage = language.observe(() => this.onLanguage());

  constructor(private stored: StoredGame) {
    super();
    this.outbox = new Outbox(stored.id);
    this.history = new GameHistory(stored.id, this);
    this.inspection = new Inspection(stored.id);
    this.isBusy = this.outbox.hasPending;
    if (!navigator.onLine) void this.restore();
    void this.read();
  }

  private async read(): Promise<void> {
    this.isUnloaded = false;
    await this.history.open(this.readToken, (game) => this.readTileset(game));
    if (!this.isUnloaded && this.fatal === null && this.outbox.isWaiting) await this.send();
  }

  private async readTileset(game: Game): Promise<void> {
    this.tilesetId = game.tileset;
    this.notify();
    this.tileset ??= await service.tileset(game.tileset);
  }

  /** Shows the game as it was when it was last seen here, while it cannot be read. */
  private async restore(): Promise<void> {
    const step = storedPart(this.id, "step") as Step | null;
    if (step === null || this.game !== null) return;
    try {
      await this.readTileset(step.game);
    } catch (error) {
      if (isUnanswered(error)) return;
      throw error;
    }
    if (this.game === null) this.history.restore(step);
    this.notify();
  }

  get id(): string {
    return this.stored.id;
  }

  get credentials(): StoredGame {
    return this.stored;
  }

  /** The game as it is shown; null while it is fetched. */
  get game(): Game | null {
    return this.stepShown?.game ?? null;
  }

  /** The game as it is now, whatever step is shown; null while it is fetched. */
  get latest(): Game | null {
    return this.history.last?.game ?? null;
  }

  /** The last step that is shown. */
  get stepShown(): Step | null {
    return this.history.steps[(this.replayed ?? this.lastStep) - 1] ?? null;
  }

  /** The steps up to what is shown, the last one last. */
  get shownSteps(): readonly Step[] {
    return this.history.steps.slice(0, this.replayed ?? this.lastStep);
  }

  get lastStep(): number {
    return this.history.steps.length;
  }

  /** What happened since the last turn here; for a spectator in the last turn; in a replay in its step. */
  get news(): readonly Step[] {
    const { shownSteps } = this;
    const seats = new Set(Object.keys(this.stored.seats).map(Number));
    return shownSteps.slice(this.replayed === null ? newsFrom(shownSteps, seats) : -1);
  }

  /** The news, and the last turn. */
  get recent(): readonly Step[] {
    const { shownSteps, news } = this;
    if (this.replayed !== null) return news;
    return shownSteps.slice(Math.min(shownSteps.length - news.length, turnFrom(shownSteps)));
  }

  /** What each seat has gained of late. */
  get gains(): ReadonlyMap<number, Gain> {
    const { recent, shownSteps, game } = this;
    const before = shownSteps[shownSteps.length - recent.length - 1];
    return before && game ? gainsBetween(before.game, game, recent) : new Map();
  }

  /** What the chosen move is worth; null where none is chosen, and while that is not known. */
  get worth(): Worth | null {
    return this.selectedMove && worthOfMove(this.selectedMove);
  }

  /** What is outlined on the board: what the choice or the touched feature is about, and what was asked for. */
  get outlines(): readonly Outline[] {
    const worth = this.inspection.worth ?? this.worth;
    return [
      ...(worth?.outlines ?? []),
      ...(this.places.length > 0 ? [{ cells: this.places, seat: null }] : []),
    ];
  }

  /** The seat of this browser that must decide now; null where there is none. */
  get decider(): number | null {
    const turn = this.replayed === null ? this.game?.turn : null;
    return turn && this.isMine(turn.decider) ? turn.decider : null;
  }

  /** Whether this browser plays a seat now. */
  isMine(seat: number): boolean {
    const player = this.game?.players[seat];
    return this.stored.seats[seat] !== undefined && player?.bot === null && !player.resigned;
  }

  /** A token that may read the game. */
  get readToken(): string | null {
    return this.stored.private
      ? (Object.values(this.stored.seats)[0] ?? this.stored.owner ?? this.stored.spectator)
      : null;
  }

  get selectedMove(): Move | null {
    return selectedMove(this.selection, this.choices);
  }

  /** All that may be done now, as a list. */
  get listedMoves(): readonly Move[] {
    if (!this.moves || this.moves.version !== this.game?.version) return [];
    return shownMoves(this.moves);
  }

  /** The same with what each is worth; empty while that is not known. */
  get appraisedMoves(): readonly Move[] {
    return this.moves && isAppraised(this.moves) ? this.listedMoves : [];
  }

  /** Whether a move waits for the network. */
  get isUnsent(): boolean {
    return this.outbox.isWaiting;
  }

  /** The seats of this browser that the computer plays. */
  get standIns(): readonly number[] {
    const players = this.game?.status === "active" && this.replayed === null ? this.game.players : [];
    return players
      .filter((one) => isStoodIn(one) && this.stored.seats[one.seat] !== undefined)
      .map(({ seat }) => seat);
  }

  protected override notify(): void {
    const lesson = lessonState(this);
    this.hint = lesson && (hintFor(lesson) ?? this.hint);
    super.notify();
  }

  /** Explains nothing more in this game. */
  endLesson(): void {
    this.saveLesson(null);
    this.notify();
  }

  private saveLesson(told: readonly string[] | null): void {
    this.stored = saveGame(this.id, { ...this.stored, lesson: told });
  }

  select(changes: Partial<Selection>): void {
    if (this.outbox.hasPending) return;
    this.notice = null;
    this.places = [];
    this.inspection.inspected = null;
    this.selection = { ...this.selection, ...changes };
    this.notify();
  }

  /** Looks at a tile, or at one of its segments; null looks away. */
  inspect(cell: Cell | null, segment: number | null = null): void {
    this.inspection.inspected = cell && { cell, segment };
    this.places = [];
    this.notify();
    if (cell)
      void this.load(this.readFeatures().then(() => announcer.tell(this.inspection.worth?.words ?? "")));
  }

  /**
   * The keyboard comes to a cell, or leaves the board. What a tile's features are worth is read then, and told once it is
   * known.
   */
  walk(cell: Cell | null): void {
    const { game, tileset, inspection } = this;
    inspection.walked = cell;
    const placed = cell && game?.board[keyOf(cell)];
    if (!placed || !tileset || inspection.featuresOf(game) || this.network.isOffline) return;
    const tell = (): void => {
      const features = inspection.featuresOf(game);
      if (features && inspection.walked === cell)
        announcer.tell(segmentsInWords(game, tileset, cell, placed, features));
    };
    void this.load(this.readFeatures().then(tell));
  }

  /** Shows cells on the board. */
  showPlaces(cells: readonly Cell[]): void {
    this.places = cells;
    this.notify();
  }

  /** Lets go of what is chosen. */
  deselect(): void {
    this.select({ ...NOTHING_SELECTED, rotation: this.selection.rotation });
  }

  pointOut(seat: number | null): void {
    this.pointedOut = seat;
    this.notify();
  }

  /** Shows an earlier step, once there are any; null goes back to the game itself. */
  replay(step: number | null): void {
    this.replayed = step === null ? null : Math.max(1, Math.min(step, this.lastStep || step));
    this.notify();
  }

  dismiss(): void {
    this.notice = null;
    this.notify();
  }

  /** Stores seats and tokens that this browser has got for the game. */
  addTokens(keys: Partial<StoredGame>): void {
    this.stored = saveGame(this.id, keys);
    this.onSettled();
  }

  /** Whether something may be done now without a choice before it. */
  get isOpen(): boolean {
    return !this.isBusy && this.gate.isOpen;
  }

  /** Whether something may be taken back now: each time on its own. */
  get canUndo(): boolean {
    return !this.isBusy && (this.game?.turn?.undoable ?? 0) > 0 && (this.gate.isOpen || !this.isUndone);
  }

  private get isUndone(): boolean {
    return this.stepShown?.diff.events.some(({ type }) => type === "move_undone") === true;
  }

  async act(move: Move): Promise<void> {
    const game = this.game;
    const seat = this.decider;
    if (!game || seat === null || this.isBusy) return;
    if (!this.gate.admits && move !== this.selectedMove) return;
    const lesson = lessonState(this);
    if (lesson) this.saveLesson(toldAfter(lesson));
    this.outbox.put({ move: move.id, seat, version: game.version, token: this.stored.seats[seat] ?? null });
    await this.send();
  }

  /** Sends the move that is to be sent; without an answer it waits, with its key, for the network. */
  private async send(): Promise<void> {
    this.isBusy = true;
    this.notice = null;
    this.notify();
    try {
      const acted = await this.outbox.send();
      if (acted === null) {
        this.onNoResponse();
      } else {
        this.network.onResponse();
        this.hasActed = true;
        this.moves = acted.legal_moves;
        this.applyDiffs(acted.diffs);
      }
    } catch (error) {
      this.network.onResponse();
      const isStale = error instanceof ProblemError && STALE_CODES.has(error.code);
      this.notice = isStale ? text.game.dropped : reasonOf(error);
    } finally {
      this.isBusy = this.outbox.hasPending;
      this.onSettled();
    }
  }

  /** Lets go of the move that waits for the network. */
  cancelUnsent(): void {
    this.outbox.drop();
    this.isBusy = false;
    this.onSettled();
  }

  /** Takes the last action of this turn back. */
  undo(): void {
    const seat = this.decider;
    if (seat !== null && this.canUndo && (this.gate.admits || !this.isUndone))
      this.change((options) => service.undo(this.id, { seat }, options), seat);
  }

  resign(seat: number): void {
    this.change((options) => service.resign(this.id, { seat }, options), seat);
  }

  /** Plays a seat again that a bot stood in for. */
  returnToSeat(seat: number): void {
    this.change((options) => service.returnToSeat(this.id, { seat }, options), seat);
  }

  /** Opens a seat again that somebody has joined: for the owner, before the start. */
  removePlayer(seat: number): void {
    void this.runOperation(async () => {
      await service.removePlayer(this.id, seat, { token: this.stored.owner });
    });
  }

  /** Gives a seat back that this player has joined, before the start, and goes to the lobby. */
  leave(seat: string): void {
    void this.runOperation(async () => {
      await service.removePlayer(this.id, Number(seat), { token: this.stored.seats[seat] ?? null });
      removeGame(this.id);
      goTo(LOBBY);
    });
  }

  abort(): void {
    void this.runOperation(async () => {
      await service.abortGame(this.id, { token: this.stored.owner });
    });
  }

  private change(asked: (options: { token: string | null }) => Promise<ActionResult>, seat: number): void {
    void this.runOperation(async () => {
      const { diffs } = await asked({ token: this.stored.seats[seat] ?? null });
      this.applyDiffs(diffs);
    });
  }

  private applyDiffs(diffs: ActionResult["diffs"]): void {
    this.selection = NOTHING_SELECTED;
    this.choices = NOTHING;
    this.history.apply(diffs);
  }

  /** Does something that changes the game; what goes wrong is told. */
  async runOperation(operation: () => Promise<void>): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    this.notice = null;
    this.notify();
    try {
      await operation();
      this.network.onResponse();
    } catch (error) {
      if (isUnanswered(error)) this.onNoResponse();
      this.notice = isUnanswered(error) ? text.game.notDone : reasonOf(error);
    } finally {
      this.isBusy = false;
      this.onSettled();
    }
  }

  close(): void {
    this.ignoreLanguage();
    this.gate.close();
    this.network.close();
    this.history.close();
  }

  /** What was said in the former language is not said again; the texts of moves are read anew. */
  private onLanguage(): void {
    this.notice = null;
    announcer.clear();
    this.moves = null;
    this.inspection.forget();
    this.onSettled();
  }

  onStatus(status: Status): void {
    const before = this.network.status;
    if (status === "reconnecting" && before === "connected") announcer.warn(text.say.lost);
    if (status === "connected" && before === "reconnecting") announcer.tell(text.say.back);
    this.network.setSocketStatus(status);
    this.notify();
  }

  onError(error: unknown): void {
    if (isUnanswered(error)) {
      this.isUnloaded = true;
      void this.restore();
      this.onNoResponse();
    } else {
      this.isMissing = this.game === null;
      this.fatal = reasonOf(error);
      this.network.setSocketStatus("closed");
    }
    this.notify();
  }

  /** A request had no answer: is the connection gone as well? */
  private onNoResponse(): void {
    this.network.onNoResponse();
    this.history.check();
  }

  /** The network may be there again: does what it kept from being done. */
  private recover(): void {
    if (this.isUnloaded) void this.read();
    else if (this.outbox.isWaiting) void this.send();
    else {
      this.network.onRecovered();
      this.onSettled();
    }
  }

  onStep(step: Step): void {
    this.choices = NOTHING;
    this.places = [];
    this.hasRematch ||= step.diff.events.some(({ type }) => type === "rematch_created");
    this.gate.ask(`version ${step.game.version}`);
    if (this.notice !== text.game.dropped) this.notice = null;
    this.announce(step);
    this.notify();
  }

  private announce(step: Step): void {
    if (!this.tileset) return;
    announcer.tell(sentences(step.diff, step.game, this.tileset).join(" "));
  }

  /** What is known has changed: what may be done now, and how does it stand? */
  onSettled(): void {
    if (this.replayed !== null) this.replay(this.replayed);
    this.notify();
    if (this.isBusy) return;
    if (this.latest) {
      ownGames.onChange(this.latest);
      savePart(this.id, "step", this.history.last);
    }
    void this.load(this.readMoves()).then(() => this.load(this.readWorth()));
    void this.load(this.readScores());
    void this.load(this.readFeatures());
  }

  private async load(question: Promise<void>): Promise<void> {
    try {
      await question;
    } catch (error) {
      if (isUnanswered(error)) this.onNoResponse();
      else this.notice = reasonOf(error);
    }
    this.notify();
  }

  private async readMoves(): Promise<void> {
    const game = this.history.last?.game;
    const turn = game?.turn;
    if (!turn || !this.isMine(turn.decider)) {
      this.choices = NOTHING;
      return;
    }
    if (this.moves?.version !== game.version) {
      this.moves = await service.legalMoves(this.id, { effects: true }, { token: this.readToken });
      this.network.onResponse();
    }
    // Meanwhile the turn may have ended: then they are another player's.
    const latest = this.history.last?.game;
    if (!latest?.turn || this.moves?.version !== latest.version || !this.isMine(latest.turn.decider)) return;
    this.choices = choicesIn(this.moves, latest.turn.placed);
    this.gate.ask(`choices of ${latest.version}`);
    if (this.selectedMove === null)
      this.selection = { ...NOTHING_SELECTED, rotation: this.selection.rotation };
  }

  /** Reads what the moves are worth that came with an answer and can be chosen already. */
  private async readWorth(): Promise<void> {
    const { moves, latest, choices } = this;
    if (choices === NOTHING || !latest?.turn || moves?.version !== latest.version || isAppraised(moves))
      return;
    const appraised = await service.legalMoves(this.id, { effects: true }, { token: this.readToken });
    if (this.latest !== latest || appraised.version !== latest.version) return;
    this.moves = appraised;
    this.choices = choicesIn(appraised, latest.turn.placed);
  }

  private async readFeatures(): Promise<void> {
    if (!this.latest || this.replayed !== null) return;
    await this.inspection.read(this.latest, this.readToken);
  }

  /** Changes that come while the scores are read are read together. */
  private async readScores(): Promise<void> {
    const { latest } = this;
    if (!latest || latest.status === "waiting" || this.scores?.version === latest.version) return;
    if (this.isReadingScores) return;
    this.isReadingScores = true;
    try {
      this.scores = await service.scores(this.id, { token: this.readToken });
      this.network.onResponse();
    } finally {
      this.isReadingScores = false;
    }
    if (this.latest?.version !== latest.version) await this.readScores();
  }
}

function isAppraised({ ships }: LegalMoves): boolean {
  return ships !== null;
}
