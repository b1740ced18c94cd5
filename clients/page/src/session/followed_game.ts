/** A game as anybody may follow it: its course, how it stands, what of it is looked at, and whose seats are here. */

import type { Game, Scores, Status, TileSet } from "south-seas-client";
import { language, text } from "../messages/index.ts";
import { isStoodIn } from "../model/absence.ts";
import { type Cell, keyOf } from "../model/cells.ts";
import { segmentsInWords } from "../model/described_cells.ts";
import { sentences } from "../model/event_sentences.ts";
import { isCalm } from "../model/motion.ts";
import { type Gain, gainsBetween, isOwn, newsFrom, placesOf, turnFrom } from "../model/news.ts";
import { Observable } from "../model/observable.ts";
import { awaitPatiently } from "../model/patience.ts";
import { type StoredGame, forgetTokens, saveGame, savePart, storedPart } from "../model/storage.ts";
import { isGone, isUnanswered, reasonOf, service } from "../service.ts";
import { announcer } from "./announcer.ts";
import { GameHistory, type HistoryListener, type Step } from "./game_history.ts";
import { Inspection } from "./inspection.ts";
import { Network } from "./network.ts";
import { ownGames } from "./own_games.ts";

/** So many steps are shown at most to whoever comes back, who is there for so long. */
const MAX_RECAP = 16;
const COMING_BACK_MS = 2000;
/** How long the board shows where somebody did something, before it shows what else there is. */
const TOLD_MS = 900;
/** With less time than this, in seconds, a player decides at once. */
const LEAST_TIME_S = 30;

export abstract class FollowedGame extends Observable implements HistoryListener {
  readonly id: string;
  /** The id of the tile set, which is known before the set itself. */
  tilesetId: string | null = null;
  tileset: TileSet | null = null;
  scores: Scores | null = null;
  /** What was refused, or dropped, and why; null where there is nothing to say. */
  notice: string | null = null;
  /** Why this game can no longer be read; null while it can. */
  fatal: string | null = null;
  /** Whether something is being done that changes the game, or waits for the network. */
  isBusy = false;
  /** Whether somebody has created the rematch while this game was looked at. */
  hasRematch = false;
  /** The step that a replay is at; null while the game itself is shown. */
  replayed: number | null = null;
  /** Whether it shows by itself, step by step, what others did while nobody looked. */
  isRecap = false;
  /** The seat whose islanders are pointed out; null for none. */
  pointedOut: number | null = null;
  /** What happened where somebody wants to look: the board shows it; null for nothing. */
  located: Step | null = null;
  /** What others have just done, one step after the other: the board goes along; null for nothing, and once it is touched. */
  told: Step | null = null;

  /** What of the board is looked at. */
  readonly inspection: Inspection;
  readonly network = new Network(() => this.recover());
  protected readonly history: GameHistory;
  /** Whether the game could not be read, for want of an answer. */
  protected isUnread = false;
  private isReadingScores = false;
  private telling: ReturnType<typeof setTimeout>[] = [];
  /** The last version that somebody has looked at here. */
  private seen: number;
  /** When somebody came back to the game, as a time of `performance.now()`. */
  private cameAt = performance.now();
  private readonly ignoreLanguage = language.observe(() => this.onLanguage());

  constructor(public credentials: StoredGame) {
    super();
    this.id = credentials.id;
    this.history = new GameHistory(this.id, this);
    this.inspection = new Inspection(this.id);
    this.seen = (storedPart(this.id, "step") as Step | null)?.game.version ?? 0;
    document.addEventListener("visibilitychange", this.onVisible);
  }

  /** A token with which the game is read: that of a seat also where anybody may, so that its end is noticed. */
  get readToken(): string | null {
    const { private: isPrivate, seats, owner, spectator } = this.credentials;
    return Object.values(seats)[0] ?? (isPrivate ? (owner ?? spectator) : null);
  }

  /** Stores seats and tokens that this browser has got for the game. */
  addTokens(keys: Partial<StoredGame>): void {
    this.credentials = saveGame(this.id, keys);
    this.onSettled();
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
    return this.shownSteps.at(-1) ?? null;
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
    return shownSteps.slice(this.replayed === null ? newsFrom(shownSteps, this.ownSeats) : -1);
  }

  protected get isUndone(): boolean {
    return this.stepShown?.diff.events.some(({ type }) => type === "move_undone") === true;
  }

  /** The news, but for what was seen before an own move was taken back, and the last turn. */
  get recent(): readonly Step[] {
    const { shownSteps } = this;
    const news = this.isUndone && this.decider !== null ? [] : this.news;
    if (this.replayed !== null) return this.news.map((step) => ({ ...step, delayMs: 0 }));
    return shownSteps.slice(Math.min(shownSteps.length - news.length, turnFrom(shownSteps)));
  }

  /** What each seat has gained of late. */
  get gains(): ReadonlyMap<number, Gain> {
    const { recent, shownSteps, game } = this;
    const before = shownSteps[shownSteps.length - recent.length - 1];
    return before && game ? gainsBetween(before.game, game, recent) : new Map();
  }

  /** The seat of this browser that must decide now; null where there is none. */
  get decider(): number | null {
    const turn = this.replayed === null && this.fatal === null ? this.game?.turn : null;
    return turn && this.isMine(turn.decider) ? turn.decider : null;
  }

  /** The seats of this browser, whoever plays them. */
  get ownSeats(): ReadonlySet<number> {
    return new Set(Object.keys(this.credentials.seats).map(Number));
  }

  get isSeated(): boolean {
    return this.ownSeats.size > 0;
  }

  /** Whether this browser plays a seat now. */
  isMine(seat: number): boolean {
    const player = this.game?.players[seat];
    return this.credentials.seats[seat] !== undefined && player?.bot === null && !player.resigned;
  }

  /** The seats of this browser that the computer plays. */
  get standIns(): readonly number[] {
    const players = this.game?.status === "active" && this.replayed === null ? this.game.players : [];
    return players
      .filter((one) => isStoodIn(one) && this.credentials.seats[one.seat] !== undefined)
      .map(({ seat }) => seat);
  }

  /** Shows an earlier step, once there are any; null goes back to the game itself. */
  replay(step: number | null): void {
    this.replayed = step === null ? null : Math.max(1, Math.min(step, this.lastStep || step));
    this.isRecap &&= step !== null;
    this.located = null;
    this.notify();
  }

  /** Goes on to the next step that can be seen on the board; after the last one to the game itself. */
  continueRecap(): void {
    this.replay(this.nextSeen(this.replayed ?? this.lastStep));
  }

  /** The number of the next step, after so many, of which the board shows something; null where there is none. */
  private nextSeen(after: number): number | null {
    const index = this.history.steps.findIndex(
      ({ diff }, index) => index >= after && placesOf(diff).length > 0,
    );
    return index < 0 ? null : index + 1;
  }

  private readonly onVisible = (): void => {
    if (document.hidden) return;
    this.cameAt = performance.now();
    this.look();
  };

  /** Shows whoever has just come back what others did meanwhile; not to those who want nothing to move, or have no time. */
  private look(): void {
    const { latest, credentials } = this;
    if (document.hidden || !latest) return;
    const steps = this.shownSteps;
    const seats = this.ownSeats;
    const unseen = steps.findLastIndex(({ game }) => game.version <= this.seen) + 1;
    const first = this.nextSeen(Math.max(unseen, newsFrom(steps, seats), steps.length - MAX_RECAP));
    const deadline = latest.turn?.deadline;
    const hasTime = !deadline || service.clock.secondsLeft(deadline) > LEAST_TIME_S;
    const isBack = performance.now() - this.cameAt < COMING_BACK_MS;
    this.seen = latest.version;
    if (!isBack || isCalm() || !hasTime || first === null || seats.size === 0) return;
    if (this.replayed !== null || latest.status !== "active" || credentials.lesson) return;
    this.isRecap = true;
    this.replay(first);
  }

  /** Looks at a tile, or at one of its segments; null looks away. */
  inspect(cell: Cell | null, segment: number | null = null): void {
    this.inspection.inspected = cell && { cell, segment };
    this.located = null;
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

  /** Shows on the board where something happened; null no more. */
  locate(step: Step | null): void {
    this.inspection.inspected = null;
    this.located = step;
    this.notify();
  }

  /** Tells of what somebody else has done, for a while, as soon as it can be seen. */
  private tell(step: Step): void {
    const { diff, delayMs } = step;
    if (isCalm() || document.hidden || !this.isSeated || isOwn(diff, this.ownSeats)) return;
    if (placesOf(diff).length === 0) return;
    const show = (told: Step | null): void => {
      this.told = told;
      this.notify();
    };
    if (delayMs === 0) this.told = step;
    else this.telling.push(setTimeout(() => show(step), delayMs));
    this.telling.push(setTimeout(() => this.told === step && show(null), delayMs + TOLD_MS));
  }

  /** Tells no more of what others have done: its player goes on. */
  stopTelling(): void {
    this.telling.splice(0).forEach(clearTimeout);
    if (this.told === null) return;
    this.told = null;
    this.notify();
  }

  pointOut(seat: number | null): void {
    this.pointedOut = seat;
    this.notify();
    void this.load(this.readFeatures());
  }

  dismiss(): void {
    this.notice = null;
    this.notify();
  }

  close(): void {
    this.stopTelling();
    this.ignoreLanguage();
    document.removeEventListener("visibilitychange", this.onVisible);
    this.network.close();
    this.history.close();
  }

  /** Reads the game, then follows it; without an answer it is shown as it was when it was last seen here. */
  protected async open(): Promise<void> {
    if (!navigator.onLine) void this.restore();
    this.isUnread = false;
    const prepare = (game: Game): Promise<void> => {
      this.network.onResponse();
      return this.readTileset(game);
    };
    await awaitPatiently(this.history.open(this.readToken, prepare), () => void this.restore());
  }

  private async readTileset(game: Game): Promise<void> {
    this.tilesetId = game.tileset;
    this.notify();
    this.tileset ??= await service.tileset(game.tileset);
  }

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

  /** The network may be there again: does what it kept from being done. */
  protected recover(): void {
    if (this.isUnread) void this.open();
    else if (this.network.isFollowed) {
      this.network.onRecovered();
      this.onSettled();
    } else void this.catchUp();
  }

  /** Reads what the socket does not bring: some networks let requests through, but no sockets. */
  private async catchUp(): Promise<void> {
    try {
      await this.history.catchUp(this.readToken);
      if (this.network.status === "reconnecting") announcer.tell(text.say.back);
      this.network.onCaughtUp();
      this.onSettled();
    } catch (error) {
      if (isUnanswered(error)) this.onNoResponse();
      else this.onError(error);
    }
  }

  /** A request had no answer: is the connection gone as well? */
  protected onNoResponse(): void {
    this.network.onNoResponse();
    this.history.check();
    this.notify();
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
      this.isUnread = true;
      void this.restore();
      this.onNoResponse();
      return;
    }
    if (isGone(error) && this.readToken !== null && !this.credentials.private) {
      this.credentials = forgetTokens(this.id);
      void this.open();
      return;
    }
    const gone = this.game === null ? text.game.missing : text.game.gone;
    this.fatal = isGone(error) ? gone : reasonOf(error);
    this.history.close();
    this.network.close();
    this.notify();
  }

  onStep(step: Step): void {
    this.located = null;
    this.tell(step);
    const { seats } = this.credentials;
    // Whoever was sent away has no seat any more.
    if (step.diff.events.some((event) => event.type === "player_left" && seats[event.seat])) void this.open();
    this.hasRematch ||= step.diff.events.some(({ type }) => type === "rematch_created");
    if (this.notice !== text.game.dropped) this.notice = null;
    if (this.tileset) announcer.tell(sentences(step.diff, step.game, this.tileset).join(" "));
    this.notify();
  }

  /** What is known has changed: how does it stand now? */
  onSettled(): void {
    if (this.replayed !== null) this.replay(this.replayed);
    this.look();
    this.notify();
    if (this.isBusy || this.fatal !== null) return;
    if (this.latest) {
      ownGames.onChange(this.latest);
      savePart(this.id, "step", this.history.last);
    }
    void this.load(this.readScores());
    void this.load(this.readFeatures());
  }

  /** What was said in the former language is not said again. */
  protected onLanguage(): void {
    this.notice = null;
    announcer.clear();
    this.inspection.forget();
    this.onSettled();
  }

  protected async load(question: Promise<void>): Promise<void> {
    try {
      await question;
    } catch (error) {
      if (isUnanswered(error)) this.onNoResponse();
      else if (isGone(error)) this.onError(error);
      else this.notice = reasonOf(error);
    }
    this.notify();
  }

  /** Reads the features while some are looked at. */
  private async readFeatures(): Promise<void> {
    const { inspected, walked } = this.inspection;
    if (!this.latest || this.replayed !== null) return;
    if (inspected === null && walked === null && this.pointedOut === null) return;
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
    } finally {
      this.isReadingScores = false;
    }
    if (this.latest?.version !== latest.version) await this.readScores();
  }
}
