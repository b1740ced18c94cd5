/** A game as it is played here: what may be done, what is chosen, and what is being done. */

import { type ActionResult, type LegalMoves, type Move, ProblemError } from "south-seas-client";
import { text } from "../messages/index.ts";
import { keyOf } from "../model/cells.ts";
import { type Choices, NOTHING, choicesIn, isOnlyHome, shownMoves } from "../model/choices.ts";
import { type Hint, hintFor, toldAfter } from "../model/lesson.ts";
import { placesOf } from "../model/news.ts";
import { awaitPatiently } from "../model/patience.ts";
import { type StoredGame, saveGame, savePart, storedPart } from "../model/storage.ts";
import { type MoveWorth, type Outline, worthOfMove } from "../model/worth.ts";
import { isUnanswered, reasonOf, service } from "../service.ts";
import { announcer } from "./announcer.ts";
import { FollowedGame } from "./followed_game.ts";
import type { Step } from "./game_history.ts";
import { Gate, type Touch } from "./gate.ts";
import { lessonState } from "./lesson.ts";
import { Outbox } from "./outbox.ts";
import { NOTHING_SELECTED, type Selection, onlyChoice, selectedMove, stillChosen } from "./selection.ts";

/** Why a move is refused that was made for an earlier state of the game. */
const STALE_CODES = new Set(["version_mismatch", "not_active"]);

/** What is chosen, not yet confirmed, in a version of the game. */
interface Draft {
  readonly version: number;
  readonly selection: Selection;
}

export class GameSession extends FollowedGame {
  choices: Choices = NOTHING;
  selection: Selection = NOTHING_SELECTED;
  /** Whether islanders stay out, without a question, where they could only be taken home. */
  leaves: boolean;
  /** Whether the tile was just put where it does not fit. */
  isMisplaced = false;
  /** Whether a move was made here, so that its player knows what a turn is. */
  hasActed = false;
  /** What the lesson says now; null where there is none. */
  hint: Hint | null = null;

  /** What waits until its question has been on the screen for long; the version is null until its question is known. */
  private kept: { readonly version: number | null; readonly touch: Touch; readonly act: () => void } | null =
    null;
  /** Through which each action of the user goes. */
  readonly gate = new Gate(() => this.doKept());
  private readonly outbox: Outbox;
  private moves: LegalMoves | null = null;
  /** What was chosen when the page was left; null once the choices are known. */
  private draft: Draft | null;

  constructor(credentials: StoredGame) {
    super(credentials);
    this.outbox = new Outbox(this.id);
    this.draft = storedPart(this.id, "choice") as Draft | null;
    this.leaves = storedPart(this.id, "leave") === true;
    this.isBusy = this.outbox.pending !== null;
    void this.open();
  }

  /** What the chosen move is worth; null where none is chosen, and while that is not known. */
  get worth(): MoveWorth | null {
    return this.selectedMove && worthOfMove(this.selectedMove, this.choices.pass?.effects ?? []);
  }

  /** What is outlined on the board: what the choice, the touched feature or a recap's step is about, and what was asked for. */
  get outlines(): readonly Outline[] {
    const worth = this.inspection.worth ?? this.worth;
    const told = this.isRecap ? this.stepShown?.diff : undefined;
    return [
      ...(worth?.outlines ?? []),
      ...(told ? [{ cells: placesOf(told), seat: told.seat }] : []),
      ...(this.located ? [{ cells: placesOf(this.located.diff), seat: null }] : []),
    ];
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

  /** Whether it is not known yet what became of a move: until then nothing else can be chosen. */
  get isPending(): boolean {
    return this.outbox.pending !== null;
  }

  /** Whether that move waits for the network. */
  get isUnsent(): boolean {
    return this.outbox.isWaiting || (this.isPending && this.network.isOffline);
  }

  /** Whether passing can be asked for: while a move is on its way, for the question that it leads to. */
  get canPass(): boolean {
    return this.choices.pass !== null || (this.isPending && !this.isUnsent);
  }

  /** Whether something may be taken back now. */
  get canUndo(): boolean {
    return !this.isBusy && (this.game?.turn?.undoable ?? 0) > 0;
  }

  /** Whether the tile may be turned: in the hand before it is known where it fits, too. */
  get canTurn(): boolean {
    if (this.game?.turn?.phase !== "place_tile" || this.decider === null || this.isPending) return false;
    const { cell } = this.selection;
    return cell === null || this.choices.cells.get(keyOf(cell))?.rotations.size !== 1;
  }

  select(changes: Partial<Selection>): void {
    if (this.isPending) return;
    this.stopTelling();
    this.isMisplaced = false;
    this.notice = null;
    this.located = null;
    this.kept = null;
    this.inspection.inspected = null;
    this.choose({ ...this.selection, ...changes });
    this.notify();
  }

  /** What ends a replay answers no question after it. */
  override replay(step: number | null): void {
    super.replay(step);
    if (step !== null) return;
    this.gate.ask(`after a replay, at ${performance.now()}`);
    this.leave();
  }

  /** Lets go of what is chosen. */
  deselect(): void {
    this.select({ ...NOTHING_SELECTED, rotation: this.selection.rotation });
  }

  /** The same, as the tile was put where it does not fit. */
  misplace(): void {
    this.deselect();
    this.isMisplaced = true;
    announcer.tell(text.actionBar.misfit);
    this.notify();
  }

  /** Chooses something, so that the choice outlives the page. */
  private choose(selection: Selection): void {
    this.selection = selection;
    this.draft = null;
    savePart(this.id, "choice", this.latest && { version: this.latest.version, selection });
  }

  /** Does nothing now, if there is nothing to choose: at once, or once its question has been on the screen for long. */
  pass(): void {
    const { pass } = this.choices;
    if (this.isBusy) this.keep(null, () => this.pass());
    else if (pass) void this.act(pass);
  }

  /** Leaves islanders out in this game without a question from now on, or asks again. */
  setLeaves(leaves: boolean): void {
    this.leaves = leaves;
    savePart(this.id, "leave", leaves || null);
    if (leaves) this.leave();
    this.notify();
  }

  /** Leaves them, unless that has just been taken back. */
  private leave(): void {
    const { pass } = this.choices;
    if (this.leaves && pass && !this.isUndone && isOnlyHome(this.choices) && this.decider !== null)
      void this.make(pass);
  }

  /** Does something later, if it can be meant; at once if the question has been there for long by now. */
  private keep(version: number | null, act: () => void): void {
    if (!this.gate.isMeant) return;
    this.kept = { version, touch: this.gate.last, act };
    this.doKept();
  }

  /** Does what has waited, if its question is still there. */
  private doKept(): void {
    const { kept } = this;
    if (kept && !this.isBusy && this.gate.isOpen && this.choices !== NOTHING) {
      this.kept = null;
      this.gate.touch({ ...kept.touch, at: performance.now() });
      if (kept.version === this.latest?.version) kept.act();
    }
    this.notify();
  }

  /** Makes a move. What was not chosen for its question waits until that has been on the screen for long. */
  async act(move: Move): Promise<void> {
    const { game } = this;
    if (!game || this.isBusy) return;
    if (!this.gate.admits && move !== this.selectedMove)
      return this.keep(game.version, () => void this.act(move));
    this.gate.act();
    await this.make(move);
  }

  private async make(move: Move): Promise<void> {
    const { game, decider: seat } = this;
    if (!game || seat === null || this.isBusy) return;
    const lesson = lessonState(this);
    if (lesson) this.saveLesson(toldAfter(lesson));
    this.outbox.put({ move, seat, version: game.version, token: this.credentials.seats[seat] ?? null });
    await this.send();
  }

  /** Sends the move that is to be sent; without an answer it waits, with its key, for the network. */
  private send(): Promise<void> {
    const reason = (error: unknown): string | null => {
      if (this.outbox.pending || isUnanswered(error)) return null;
      return error instanceof ProblemError && STALE_CODES.has(error.code)
        ? text.game.dropped
        : reasonOf(error);
    };
    return this.run(async () => {
      const acted = await this.outbox.send();
      this.hasActed = true;
      this.moves = acted.legal_moves;
      this.applyDiffs(acted.diffs);
    }, reason);
  }

  /** Lets go of the move that waits for the network. */
  cancelUnsent(): void {
    this.outbox.drop();
    this.isBusy = false;
    this.choices = NOTHING;
    this.onSettled();
  }

  /** Takes the last action of this turn back. */
  undo(): void {
    const { decider: seat, latest } = this;
    if (seat === null || !latest || !this.canUndo) return;
    if (this.isUndone && !this.gate.admits) return this.keep(latest.version, () => this.undo());
    this.gate.act();
    this.command(seat, (options) => service.undo(this.id, { seat }, options));
  }

  /** Does something as the player of a seat. */
  command(seat: number, asked: (options: { token: string | null }) => Promise<ActionResult>): void {
    void this.runOperation(async () => {
      const { diffs } = await asked({ token: this.credentials.seats[seat] ?? null });
      this.applyDiffs(diffs);
    });
  }

  /** Does something that changes the game, unless something is being done; what goes wrong is told. */
  async runOperation(operation: () => Promise<unknown>): Promise<void> {
    const reason = (error: unknown): string => (isUnanswered(error) ? text.game.notDone : reasonOf(error));
    if (!this.isBusy) await this.run(operation, reason);
  }

  private async run(
    operation: () => Promise<unknown>,
    reason: (error: unknown) => string | null,
  ): Promise<void> {
    this.isBusy = true;
    this.notice = null;
    this.notify();
    try {
      await awaitPatiently(operation(), () => this.onNoResponse());
      this.network.onResponse();
    } catch (error) {
      if (this.outbox.pending || isUnanswered(error)) this.onNoResponse();
      else this.network.onResponse();
      this.notice = reason(error);
    } finally {
      this.isBusy = this.outbox.pending !== null;
      this.onSettled();
    }
  }

  private applyDiffs(diffs: ActionResult["diffs"]): void {
    this.selection = NOTHING_SELECTED;
    this.choices = NOTHING;
    this.history.apply(diffs);
    if (this.kept?.version === null) this.kept = { ...this.kept, version: this.latest?.version ?? null };
  }

  /** Explains nothing more in this game. */
  endLesson(): void {
    this.saveLesson(null);
    this.notify();
  }

  private saveLesson(told: readonly string[] | null): void {
    this.credentials = saveGame(this.id, { ...this.credentials, lesson: told });
  }

  override close(): void {
    this.gate.close();
    super.close();
  }

  protected override notify(): void {
    this.chooseUnsent();
    const lesson = lessonState(this);
    this.hint = lesson && hintFor(lesson);
    super.notify();
  }

  protected override async open(): Promise<void> {
    await super.open();
    if (!this.isUnread && this.fatal === null && this.outbox.isWaiting) await this.send();
  }

  /** What is being done gets its answer, or none, by itself. */
  protected override recover(): void {
    if (this.isUnread || !this.isBusy) super.recover();
    else if (this.outbox.isWaiting) void this.send();
  }

  override onError(error: unknown): void {
    super.onError(error);
    if (this.fatal !== null) this.choices = NOTHING;
  }

  override onStep(step: Step): void {
    this.choices = NOTHING;
    this.isMisplaced = false;
    this.gate.ask(`version ${step.game.version}`);
    super.onStep(step);
  }

  override onSettled(): void {
    if (!this.isBusy && this.fatal === null) void this.load(this.readMoves());
    super.onSettled();
  }

  protected override onLanguage(): void {
    this.moves = null;
    super.onLanguage();
  }

  /** After the page was left, the move that is not sent yet is all that is known to be possible. */
  private chooseUnsent(): void {
    const { latest } = this;
    const { pending } = this.outbox;
    if (this.choices !== NOTHING || !pending || pending.version !== latest?.version) return;
    this.choices = choicesIn({ moves: [pending.move], repeated: [] }, latest.turn?.placed ?? null);
    this.selection = onlyChoice(this.choices);
  }

  /** Moves that came with an answer can be chosen before it is known what they are worth. */
  private async readMoves(): Promise<void> {
    this.offer();
    const { latest, moves } = this;
    if (!latest?.turn || !this.isMine(latest.turn.decider)) return;
    if (moves?.version === latest.version && isAppraised(moves)) return;
    const read = await service.legalMoves(this.id, { effects: true }, { token: this.readToken });
    if (read.version >= (this.latest?.version ?? 0)) this.moves = read;
    this.offer();
  }

  /** Offers the moves that are known, while this player is to decide. */
  private offer(): void {
    const { latest, moves } = this;
    if (!latest?.turn || !this.isMine(latest.turn.decider)) this.choices = NOTHING;
    else if (moves?.version === latest.version) {
      this.choices = choicesIn(moves, latest.turn.placed);
      this.gate.ask(`choices of ${latest.version}`);
      const { selection } = this.draft?.version === latest.version ? this.draft : this;
      this.choose(stillChosen(selection, this.choices));
    }
    this.doKept();
    this.leave();
  }
}

function isAppraised({ ships }: LegalMoves): boolean {
  return ships !== null;
}
