/** My turn, away from the page: the icon's number, a sound, the device's shaking, and the system's notification. */

import type { GameSummary } from "south-seas-client";
import { text } from "../messages/index.ts";
import { isFramed } from "../model/frame.ts";
import { preferences, savePreferences } from "../model/storage.ts";
import { LOBBY, pathOf } from "../model/route.ts";
import { ownGames } from "./own_games.ts";

const ICON = `${LOBBY}favicon.svg`;
/** Systems show no SVG beside a notification. */
const NOTIFICATION_ICON = `${LOBBY}icon-192.png`;
const VIBRATION_MS = [120, 80, 120];
/** Two notes, in Hz, one after the other. */
const NOTES = [660, 880];
const NOTE_S = 0.16;
const VOLUME = 0.12;

/** Tells of each turn that begins while the page is not looked at. Returns what ends it. */
export function watchTurns(): () => void {
  let told: ReadonlySet<string> | null = null;
  return ownGames.observe(() => {
    const { waiting } = ownGames;
    showCount(waiting.length);
    if (!ownGames.isRead) return;
    const before = told;
    told = new Set(waiting.map(turnOf));
    const fresh = before === null ? [] : waiting.filter((game) => !before.has(turnOf(game)));
    if (fresh.length > 0 && isAway()) tell(fresh);
  });
}

/** Steps of one turn are told of once. */
function turnOf({ id, turn }: GameSummary): string {
  return `${id}:${turn?.number}:${turn?.decider === turn?.seat}`;
}

function isAway(): boolean {
  return document.hidden || !document.hasFocus();
}

function tell(games: readonly GameSummary[]): void {
  const { sound, vibration, notifications } = preferences();
  if (sound) play();
  if (vibration) navigator.vibrate?.(VIBRATION_MS);
  if (notifications === true && canNotify() && Notification.permission === "granted")
    games.forEach((game) => void notify(game));
}

function play(): void {
  const audio = new AudioContext();
  const volume = new GainNode(audio, { gain: VOLUME });
  volume.connect(audio.destination);
  NOTES.forEach((frequency, index) => {
    const note = new OscillatorNode(audio, { type: "triangle", frequency });
    note.connect(volume);
    note.start(audio.currentTime + index * NOTE_S);
    note.stop(audio.currentTime + (index + 1) * NOTE_S);
    if (index === NOTES.length - 1) note.onended = () => void audio.close();
  });
}

/** The service worker shows it, as on Android a page cannot; when it is pressed, the worker sends the path back. */
async function notify({ id, players }: GameSummary): Promise<void> {
  const body = text.listed(players.map(({ name }) => name ?? text.lobby.open));
  const worker = await navigator.serviceWorker.ready;
  await worker.showNotification(text.actionBar.yourTurn, {
    body,
    tag: id,
    icon: NOTIFICATION_ICON,
    data: pathOf(id),
  });
}

/** Whether the system can tell of turns here. */
export function canNotify(): boolean {
  return !isFramed() && "Notification" in globalThis && "serviceWorker" in navigator;
}

/** Whether to ask whether the system should tell of turns. */
export function mayAsk(): boolean {
  return preferences().notifications === null && canNotify() && Notification.permission === "default";
}

/** Stores the answer; a "yes" asks the browser for its permission. Returns whether the browser blocks it. */
export async function answer(isWanted: boolean): Promise<boolean> {
  savePreferences({ notifications: isWanted });
  if (!isWanted) return false;
  const permission = await Notification.requestPermission();
  savePreferences({ notifications: permission === "granted" });
  return permission === "denied";
}

/** A system that shows no numbers on its icons says so; the tab's icon has it all the same. */
function refused(): void {}

let icon: Promise<string> | undefined;

/** Shows a number on the tab's icon and, where there is one, on the installed page's. */
function showCount(count: number): void {
  void (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())?.catch(refused);
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (!link) return;
  link.dataset["count"] = String(count);
  if (count === 0) {
    link.href = ICON;
    return;
  }
  icon ??= fetch(ICON).then((response) => response.text());
  void icon.then((svg) => {
    if (link.dataset["count"] === String(count))
      link.href = `data:image/svg+xml,${encodeURIComponent(badged(svg, count))}`;
  });
}

/** The icon with a number in its corner. */
export function badged(svg: string, count: number): string {
  const badge =
    `<circle cx="28" cy="12" r="12" fill="#c2410c"/>` +
    `<text x="28" y="18" font-family="sans-serif" font-size="17" font-weight="700" text-anchor="middle" fill="#fff">` +
    `${count > 9 ? "9+" : count}</text>`;
  return svg.replace("</svg>", `${badge}</svg>`);
}
