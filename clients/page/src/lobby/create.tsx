/** The form that creates a game: seats and options. */

import type { CreateGame } from "south-seas-client";
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { saveCreatedGame, savePreferences, preferences } from "../model/storage.ts";
import { goTo, pathOf } from "../model/route.ts";
import { useWarning } from "../parts/announcements.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { reasonOf, service } from "../service.ts";
import { useBots } from "./bots.ts";

const SEATS = [0, 1, 2, 3, 4] as const;
type Who = "me" | "friend" | "here" | "nobody" | `bot:${string}`;

interface GameForm {
  readonly who: readonly Who[];
  readonly names: readonly string[];
  readonly isPrivate: boolean;
  readonly edition: "international" | "german";
  readonly timeout: string;
  readonly onTimeout: "pass" | "bot" | "resign";
}

/** Builds the request from the form; empty names get one by seat. */
function createRequest(form: GameForm): CreateGame {
  const players = form.who.flatMap((who, seat): CreateGame["players"] => {
    if (who === "nobody") return [];
    if (who === "friend") return [{ open: true }];
    const bot = who.startsWith("bot:") ? who.slice(4) : null;
    const fallback =
      who === "me"
        ? text.lobby.defaultName
        : bot === null
          ? text.seatName(seat)
          : (text.lobby.bots[bot] ?? bot);
    return [{ name: (bot === null && form.names[seat]?.trim()) || fallback, bot }];
  });
  const timeout =
    form.timeout === "" ? {} : { turn_timeout_s: Number(form.timeout), on_timeout: form.onTimeout };
  const visibility = isPrivate(form) ? "private" : "public";
  return { players, edition: form.edition, visibility, ...timeout };
}

/** A game of one person and the computer is nobody else's. */
function isPrivate({ who, isPrivate: asked }: GameForm): boolean {
  return asked || !canBePublic(who);
}

function canBePublic(who: readonly Who[]): boolean {
  return who.some((one) => one === "friend" || one === "here");
}

function botName(bot: string): string {
  return text.create.bot(text.lobby.bots[bot] ?? bot);
}

export function Create({ onClose }: { onClose: () => void }): JSX.Element {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [form, setForm] = useState<GameForm>({
    who: ["me", "friend", "nobody", "nobody", "nobody"],
    names: [preferences().name, "", "", "", ""],
    isPrivate: true,
    edition: "international",
    timeout: "",
    onTimeout: "bot",
  });
  const bots = useBots(setProblem);
  const id = useId();
  useWarning(problem);
  const change = (changes: Partial<GameForm>): void => {
    setForm({ ...form, ...changes });
    setProblem(null);
  };
  const seated = form.who.filter((who) => who !== "nobody").length;

  async function create(): Promise<void> {
    setBusy(true);
    savePreferences({ name: form.names[0] ?? "" });
    try {
      const created = await service.createGame(createRequest(form));
      saveCreatedGame(created, isPrivate(form));
      goTo(pathOf(created.game.id));
    } catch (error) {
      setProblem(reasonOf(error));
      setBusy(false);
    }
  }

  return (
    <Dialog
      heading={text.create.heading}
      onClose={onClose}
      foot={
        <>
          {problem && <p class="problem">{problem}</p>}
          <button class="primary" form={id} disabled={seated < 2 || isBusy}>
            {text.create.go}
          </button>
        </>
      }
    >
      <form
        id={id}
        class="create"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        {SEATS.map((seat) => (
          <Seat key={seat} seat={seat} form={form} bots={bots} change={change} />
        ))}
        <label class="check">
          <input
            type="checkbox"
            checked={isPrivate(form)}
            disabled={!canBePublic(form.who)}
            onChange={(event) => change({ isPrivate: event.currentTarget.checked })}
          />
          {text.create.private}
        </label>
        <Select
          label={text.create.edition}
          value={form.edition}
          options={text.create.editions}
          hint={text.create.editionHints[form.edition]}
          onChange={(edition) => change({ edition: edition === "german" ? "german" : "international" })}
        />
        <Select
          label={text.create.timeout}
          value={form.timeout}
          options={text.create.timeouts}
          onChange={(timeout) => change({ timeout })}
        />
        {form.timeout !== "" && (
          <Select
            label={text.create.onTimeout}
            value={form.onTimeout}
            options={text.create.policies}
            onChange={(policy) => change({ onTimeout: policy as GameForm["onTimeout"] })}
          />
        )}
      </form>
    </Dialog>
  );
}

interface SeatProps {
  readonly seat: number;
  readonly form: GameForm;
  readonly bots: readonly string[];
  readonly change: (changes: Partial<GameForm>) => void;
}

function Seat({ seat, form, bots, change }: SeatProps): JSX.Element {
  const who = form.who[seat] ?? "nobody";
  const computers = bots.map((bot): Who => `bot:${bot}`);
  const others: readonly Who[] = ["friend", "here", ...computers, ...(seat > 1 ? (["nobody"] as const) : [])];
  const options = seat === 0 ? (["me"] as const) : others;
  return (
    <div class="seat">
      <label>
        {text.create.seat(seat)}
        <select
          value={who}
          disabled={seat === 0}
          onChange={(event) => change({ who: form.who.with(seat, event.currentTarget.value as Who) })}
        >
          {options.map((one) => (
            <option key={one} value={one}>
              {whoInWords(one)}
            </option>
          ))}
        </select>
      </label>
      {(who === "me" || who === "here") && (
        <input
          value={form.names[seat]}
          maxLength={32}
          aria-label={who === "me" ? text.lobby.yourName : text.create.nameHere(seat)}
          placeholder={who === "me" ? text.lobby.yourName : text.seatName(seat)}
          onInput={(event) => change({ names: form.names.with(seat, event.currentTarget.value) })}
        />
      )}
    </div>
  );
}

function whoInWords(who: Who): string {
  return who.startsWith("bot:")
    ? botName(who.slice(4))
    : text.create[who as "me" | "friend" | "here" | "nobody"];
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  /** What the chosen one means. */
  readonly hint?: string | undefined;
  readonly onChange: (value: string) => void;
}

function Select({ label, value, options, hint, onChange }: SelectProps): JSX.Element {
  const id = useId();
  return (
    <div>
      <label>
        {label}
        <select
          value={value}
          aria-describedby={hint === undefined ? undefined : id}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {Object.entries(options).map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {hint !== undefined && <small id={id}>{hint}</small>}
    </div>
  );
}
