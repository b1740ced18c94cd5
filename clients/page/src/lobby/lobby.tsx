/** The first screen: play at once, create a game, go back to one, or join and watch others'. */

import type { GameSummary } from "south-seas-client";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { text } from "../messages/index.ts";
import { isPersistent } from "../model/browser_storage.ts";
import { awaitPatiently } from "../model/patience.ts";
import { LOBBY } from "../model/route.ts";
import { removeGame, savePreferences, preferences, storedGames } from "../model/storage.ts";
import { Icon } from "../parts/icon.tsx";
import { useWarning } from "../parts/announcements.tsx";
import { Help } from "../parts/help.tsx";
import { LearnButton } from "../parts/lesson.tsx";
import { Menu } from "../parts/menu.tsx";
import { usePageTitle } from "../parts/page_title.ts";
import { Question } from "../parts/question.tsx";
import { reasonOf } from "../service.ts";
import { playComputer } from "../session/computer_game.ts";
import { type ListedGame, isSeated, ownGames } from "../session/own_games.ts";
import { useBots } from "./bots.ts";
import { Create } from "./create.tsx";
import { type GameLists, readGameLists } from "./game_lists.ts";
import { GameRow } from "./game_row.tsx";
import { Scene } from "./scene.tsx";

const REFRESH_MS = 15_000;

export function Lobby(): JSX.Element {
  const [lists, setLists] = useState<GameLists | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** Why the games cannot be loaded now. */
  const [unread, setUnread] = useState<string | null>(null);
  const [isCreating, setCreating] = useState(false);
  const [helping, setHelping] = useState(false);
  /** The game that may be removed from the list. */
  const [leaving, setLeaving] = useState<string | null>(null);

  const { list } = ownGames;
  /** These come first: somebody waits for this player. */
  const waiting = list.filter(({ isMyTurn }) => isMyTurn);
  const others = list.filter(({ isMyTurn }) => !isMyTurn);

  const why = unread ?? (problem === null ? null : text.lobby.failed(problem));

  usePageTitle(null);
  useWarning(why);

  async function read(): Promise<void> {
    const onLate = (): void => setUnread(text.game.offline);
    if (!navigator.onLine) onLate();
    try {
      const [found] = await awaitPatiently(Promise.all([readGameLists(), ownGames.read()]), onLate);
      setLists(found);
      setUnread(null);
      setProblem(null);
    } catch (error) {
      setUnread(reasonOf(error));
    }
  }

  useEffect(() => {
    const refresh = (): void => void read();
    refresh();
    const reading = setInterval(refresh, REFRESH_MS);
    addEventListener("online", refresh);
    return () => {
      clearInterval(reading);
      removeEventListener("online", refresh);
    };
  }, []);

  function forget(id: string): void {
    removeGame(id);
    void read();
  }

  return (
    <div class="lobby">
      <header class="bar">
        <span class="gap" />
        <Menu session={null} />
      </header>
      <main>
        <div class="hero">
          <Scene />
          <h1>{text.title}</h1>
          <p>{text.tagline}</p>
        </div>
        <List
          heading={text.game.nextGame(waiting.length)}
          listed={waiting}
          verb={mineVerb}
          onForget={setLeaving}
        />
        <Quick onProblem={setProblem} onFriends={() => setCreating(true)} onHelp={() => setHelping(true)} />
        {why !== null && <p class="problem">{why}</p>}
        {!isPersistent() && <p class="note">{text.lobby.notKept}</p>}
        <List heading={text.lobby.yourTables} listed={others} verb={mineVerb} onForget={setLeaving} />
        {lists && <Lists lists={lists} />}
        <footer>
          <a href={`${LOBBY}docs`}>{text.lobby.api}</a>
        </footer>
      </main>
      {isCreating && <Create onClose={() => setCreating(false)} />}
      {helping && <Help onClose={() => setHelping(false)} />}
      {leaving !== null && (
        <Question
          heading={text.lobby.forget}
          words={text.lobby.forgetSure}
          onYes={() => forget(leaving)}
          onClose={() => setLeaving(null)}
        />
      )}
    </div>
  );
}

interface QuickProps {
  readonly onProblem: (problem: string | null) => void;
  readonly onFriends: () => void;
  readonly onHelp: () => void;
}

/** A game against the computer with one tap. */
function Quick({ onProblem, onFriends, onHelp }: QuickProps): JSX.Element {
  const [name, setName] = useState(preferences().name);
  const [level, setLevel] = useState("greedy");
  const [isBusy, setBusy] = useState(false);
  const isFirst = !storedGames().some(isSeated);
  const bots = useBots(onProblem);

  async function play(): Promise<void> {
    setBusy(true);
    try {
      await playComputer(level);
    } catch (error) {
      onProblem(reasonOf(error));
      setBusy(false);
    }
  }

  return (
    <section class="quick">
      {isFirst && (
        <div class="first">
          <LearnButton isFirst />
          <p>{text.lesson.learnHint}</p>
        </div>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void play();
        }}
      >
        <button class={isFirst ? "" : "primary big"} disabled={isBusy}>
          <Icon name="play" /> {text.lobby.quick}
        </button>
        <p>{text.lobby.quickHint}</p>
        <div class="fields">
          <label>
            {text.lobby.yourName}
            <input
              value={name}
              maxLength={32}
              placeholder={text.lobby.defaultName}
              autocomplete="nickname"
              onInput={(event) => {
                setName(event.currentTarget.value);
                onProblem(null);
                savePreferences({ name: event.currentTarget.value });
              }}
            />
          </label>
          <label>
            {text.lobby.level}
            <select value={level} onChange={(event) => setLevel(event.currentTarget.value)}>
              {bots.map((bot) => (
                <option key={bot} value={bot}>
                  {text.lobby.bots[bot] ?? bot}
                </option>
              ))}
            </select>
          </label>
        </div>
      </form>
      <div class="buttons">
        <button onClick={onFriends}>
          <Icon name="people" /> {text.lobby.friends}
        </button>
        {!isFirst && <LearnButton />}
        <button onClick={onHelp}>{text.lobby.rules}</button>
      </div>
    </section>
  );
}

function Lists({ lists }: { lists: GameLists }): JSX.Element {
  return (
    <>
      <List
        heading={text.lobby.waiting}
        listed={lists.waiting.map(listedGame)}
        verb={() => text.lobby.join}
      />
      <List heading={text.lobby.live} listed={lists.active.map(listedGame)} verb={() => text.lobby.watch} />
      <List
        heading={text.lobby.finished}
        listed={lists.finished.map(listedGame)}
        verb={() => text.lobby.replay}
      />
    </>
  );
}

function listedGame(game: GameSummary): ListedGame {
  return { game, isUnsent: false, isMyTurn: false };
}

function mineVerb(game: GameSummary): string {
  return game.status === "active" ? text.lobby.resume : text.lobby.look;
}

interface ListProps {
  readonly heading: string;
  readonly listed: readonly ListedGame[];
  readonly verb: (game: GameSummary) => string;
  readonly onForget?: (id: string) => void;
}

function List({ heading, listed, verb, onForget }: ListProps): JSX.Element | null {
  if (listed.length === 0) return null;
  return (
    <section class="list">
      <h2>{heading}</h2>
      <ul>
        {listed.map((one) => (
          <GameRow key={one.game.id} {...one} verb={verb(one.game)} onForget={onForget} />
        ))}
      </ul>
    </section>
  );
}
