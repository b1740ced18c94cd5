/** A table as this browser sees it: the game, its course, what may be done, and what is about to be. */

import {
  type Acted,
  type Game,
  type LegalMoves,
  type Move,
  ProblemError,
  type Scores,
  type Status,
  type TileSet,
} from "south-seas-client";
import { text } from "../messages/index.ts";
import { type Choices, NOTHING, choicesIn } from "../model/choices.ts";
import { isStoodIn } from "../model/absence.ts";
import { type KnownTable, keepTable } from "../model/memory.ts";
import { Observable } from "../model/observable.ts";
import { nameOf, sentences } from "../model/story.ts";
import { isUnanswered, reasonOf, service } from "../service.ts";
import { Course, type CourseListener, type Step } from "./course.ts";
import { Network } from "./network.ts";
import { Outbox } from "./outbox.ts";
import { NOTHING_SELECTED, type Selection, selectedMove } from "./selection.ts";

/** Why a move is refused that was made for an earlier state of the game. */
const LATE = new Set(["version_mismatch", "not_active"]);

export class Table extends Observable implements CourseListener {
  tileset: TileSet | null = null;
  /** What was refused, or dropped, and why; null where there is nothing to say. */
  notice: string | null = null;
  /** Why nothing more comes from this table; null while it can be read. */
  fatal: string | null = null;
  isMissing = false;
  /** Whether an action is under way, or waits for the network. */
  isBusy = false;
  scores: Scores | null = null;
  choices: Choices = NOTHING;
  selection: Selection = NOTHING_SELECTED;
  /** What a screen reader should say. */
  announcement = "";
  /** The seat whose islanders are pointed out; null for none. */
  pointedOut: number | null = null;
  /** The step that a replay is at; null while the game itself is shown. */
  replayed: number | null = null;

  readonly network = new Network(() => this.recover());

  private readonly whole: Course;
  private readonly outbox: Outbox;
  private moves: LegalMoves | null = null;
  private isUnread = false;

  constructor(private known: KnownTable) {
    super();
    this.outbox = new Outbox(known.id);
    this.whole = new Course(known.id, this);
    this.read();
  }

  private read(): void {
    this.isUnread = false;
    void this.whole.open(this.readToken, async (game) => {
      this.tileset ??= await service.tileset(game.tileset);
    });
  }

  get id(): string {
    return this.known.id;
  }

  get keys(): KnownTable {
    return this.known;
  }

  /** The game as it is shown; null while it is fetched. */
  get game(): Game | null {
    return this.stepShown?.game ?? null;
  }

  /** The game as it is now, whatever step is shown; null while it is fetched. */
  get latest(): Game | null {
    return this.whole.last?.game ?? null;
  }

  /** The last step that is shown. */
  get stepShown(): Step | null {
    return this.whole.steps[(this.replayed ?? this.whole.shown) - 1] ?? null;
  }

  /** The steps up to what is shown, the last one last. */
  get course(): readonly Step[] {
    return this.whole.steps.slice(0, this.replayed ?? this.whole.shown);
  }

  get lastStep(): number {
    return this.whole.shown;
  }

  /** The seat of this browser that must decide now; null where there is none. */
  get decider(): number | null {
    const turn = this.replayed === null ? this.game?.turn : null;
    return turn && this.isMine(turn.decider) ? turn.decider : null;
  }

  /** Whether this browser plays a seat now. */
  isMine(seat: number): boolean {
    const player = this.game?.players[seat];
    return this.known.seats[seat] !== undefined && player?.bot === null && !player.resigned;
  }

  /** A token that may read the game. */
  get readToken(): string | null {
    return this.known.private
      ? (Object.values(this.known.seats)[0] ?? this.known.owner ?? this.known.spectator)
      : null;
  }

  get selectedMove(): Move | null {
    return selectedMove(this.selection, this.choices);
  }

  /** All that may be done now, as a list. */
  get listedMoves(): readonly Move[] {
    return this.moves?.version === this.game?.version ? (this.moves?.moves ?? []) : [];
  }

  /** Whether a move waits for the network. */
  get isUnsent(): boolean {
    return this.outbox.isWaiting;
  }

  /** The seats of this browser that the computer plays. */
  get standIns(): readonly number[] {
    const players = this.game?.status === "active" && this.replayed === null ? this.game.players : [];
    return players
      .filter((one) => isStoodIn(one) && this.known.seats[one.seat] !== undefined)
      .map(({ seat }) => seat);
  }

  select(changes: Partial<Selection>): void {
    if (this.outbox.isHolding) return;
    this.notice = null;
    this.selection = { ...this.selection, ...changes };
    this.changed();
  }

  /** Lets go of what is chosen. */
  deselect(): void {
    this.select({ ...NOTHING_SELECTED, rotation: this.selection.rotation });
  }

  pointOut(seat: number | null): void {
    this.pointedOut = seat;
    this.changed();
  }

  /** Shows an earlier step; null goes back to the game itself. */
  replay(step: number | null): void {
    this.replayed = step === null ? null : Math.max(1, Math.min(step, this.whole.shown));
    this.changed();
  }

  /** Says something to a screen reader. */
  say(what: string): void {
    this.announcement = what;
    this.changed();
  }

  dismiss(): void {
    this.notice = null;
    this.changed();
  }

  /** Seats and tokens that were won at this table. */
  learn(keys: Partial<KnownTable>): void {
    this.known = keepTable(this.id, keys);
    this.settled();
  }

  async act(move: Move): Promise<void> {
    const game = this.game;
    const seat = this.decider;
    if (!game || seat === null || this.isBusy) return;
    this.outbox.put({ move, seat, version: game.version, token: this.known.seats[seat] ?? null });
    await this.send();
  }

  /** Sends the move that is to be sent; without an answer it waits, with its key, for the network. */
  private async send(): Promise<void> {
    this.isBusy = true;
    this.notice = null;
    this.changed();
    try {
      const acted = await this.outbox.send();
      if (acted === null) {
        this.lost();
      } else {
        this.network.back();
        this.moves = acted.legal_moves;
        this.acted(acted.diffs);
      }
    } catch (error) {
      this.network.back();
      const isLate = error instanceof ProblemError && LATE.has(error.code);
      this.notice = isLate ? text.table.dropped : reasonOf(error);
    } finally {
      this.isBusy = this.outbox.isHolding;
      this.settled();
    }
  }

  /** Lets go of the move that waits for the network. */
  unsend(): void {
    this.outbox.drop();
    this.isBusy = false;
    this.settled();
  }

  /** Takes the last action of this turn back. */
  undo(): void {
    const seat = this.decider;
    if (seat !== null && (this.game?.turn?.undoable ?? 0) > 0)
      this.change((options) => service.undo(this.id, { seat }, options), seat);
  }

  resign(seat: number): void {
    this.change((options) => service.resign(this.id, { seat }, options), seat);
  }

  /** Plays a seat again that a bot stood in for. */
  takeBack(seat: number): void {
    this.change((options) => service.returnToSeat(this.id, { seat }, options), seat);
  }

  /** Opens a seat again that somebody has joined, for the owner, while the table waits. */
  sendAway(seat: number): void {
    void this.doing(async () => {
      await service.removePlayer(this.id, seat, { token: this.known.owner });
    });
  }

  abort(): void {
    void this.doing(async () => {
      await service.abortGame(this.id, { token: this.known.owner });
    });
  }

  private change(asked: (options: { token: string | null }) => Promise<Acted>, seat: number): void {
    void this.doing(async () => {
      const { diffs } = await asked({ token: this.known.seats[seat] ?? null });
      this.acted(diffs);
    });
  }

  private acted(diffs: Acted["diffs"]): void {
    this.selection = NOTHING_SELECTED;
    this.choices = NOTHING;
    this.whole.take(diffs);
  }

  /** Does something that changes the game; what goes wrong is told. */
  async doing(deed: () => Promise<void>): Promise<void> {
    if (this.outbox.isHolding) return;
    this.isBusy = true;
    this.notice = null;
    this.changed();
    try {
      await deed();
      this.network.back();
    } catch (error) {
      if (isUnanswered(error)) this.lost();
      this.notice = isUnanswered(error) ? text.table.notDone : reasonOf(error);
    } finally {
      this.isBusy = false;
      this.settled();
    }
  }

  close(): void {
    this.network.close();
    this.whole.close();
  }

  connected(status: Status): void {
    if (status === "reconnecting" && this.network.status === "connected") this.announcement = text.say.lost;
    if (status === "connected" && this.network.status !== "connected") this.announcement = text.say.back;
    this.network.became(status);
    this.changed();
  }

  refused(error: unknown): void {
    if (isUnanswered(error)) {
      this.isUnread = true;
      this.lost();
    } else {
      this.isMissing = this.game === null;
      this.fatal = reasonOf(error);
      this.network.became("closed");
    }
    this.changed();
  }

  /** A request had no answer: is the connection gone as well? */
  private lost(): void {
    this.network.lost();
    this.whole.check();
  }

  /** The network may be there again: does what it kept from being done. */
  private recover(): void {
    if (this.isUnread) this.read();
    else if (this.outbox.isWaiting) void this.send();
    else {
      this.network.mayBeBack();
      this.settled();
    }
  }

  stepped(step: Step): void {
    this.choices = NOTHING;
    if (this.notice !== text.table.dropped) this.notice = null;
    this.tell(step);
    this.changed();
  }

  private tell(step: Step): void {
    if (!this.tileset) return;
    const said = sentences(step.diff, step.game, this.tileset);
    const turn = step.game.turn;
    if (turn?.phase === "place_tile" && this.isMine(turn.decider)) {
      said.push(text.dock.turnOf(nameOf(step.game, turn.decider)));
    }
    if (said.length > 0) this.announcement = said.join(" ");
  }

  /** All changes are shown: what may be done now, and how does it stand? */
  settled(): void {
    this.changed();
    if (this.isBusy || !this.whole.isSettled) return;
    void this.ask(this.readMoves());
    void this.ask(this.readScores());
  }

  private async ask(question: Promise<void>): Promise<void> {
    try {
      await question;
    } catch (error) {
      if (isUnanswered(error)) this.lost();
      else this.notice = reasonOf(error);
    }
    this.changed();
  }

  private async readMoves(): Promise<void> {
    const game = this.whole.last?.game;
    const turn = game?.turn;
    if (!turn || !this.isMine(turn.decider)) {
      this.choices = NOTHING;
      return;
    }
    if (this.moves?.version !== game.version) {
      this.moves = await service.legalMoves(this.id, {}, { token: this.readToken });
      this.network.back();
    }
    if (this.moves?.version !== this.whole.last?.game.version) return;
    if (this.moves) this.choices = choicesIn(this.moves, turn.placed);
    if (this.selectedMove === null)
      this.selection = { ...NOTHING_SELECTED, rotation: this.selection.rotation };
  }

  private async readScores(): Promise<void> {
    const game = this.whole.last?.game;
    if (!game || game.status === "waiting" || this.scores?.version === game.version) return;
    const scores = await service.scores(this.id, { token: this.readToken });
    this.network.back();
    if (scores.version >= (this.scores?.version ?? 0)) this.scores = scores;
  }
}
