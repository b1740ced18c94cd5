/** Every word of the page in English. Each other language is a file with the same members, which the compiler checks. */

import type { Wares } from "south-seas-client";
import type { Edge } from "../model/cells.ts";
import type { Duration } from "../model/deadline.ts";
import { type Translatable, capitalized, grammar, ranges } from "./grammar.ts";
import sentences from "./sentences/en.json";

const { ago, at, counted, daysAndHours, lasting, listed, told } = grammar("en-GB", sentences);

/** The name of the computer in a quick game. */
const COMPUTER = "Computer";

function owner(name: string): string {
  return name === COMPUTER ? "the computer" : name;
}

function owned(name: string): string {
  const who = owner(name);
  return who.endsWith("s") ? `${who}’` : `${who}’s`;
}

const wareParts = (held: Wares): string[] => [
  ...(held.bananas ? [counted(held.bananas, "banana", "bananas")] : []),
  ...(held.shells ? [counted(held.shells, "shell", "shells")] : []),
  ...(held.fish ? [`${held.fish} fish`] : []),
];

const wares = (held: Wares): string => listed(wareParts(held)) || "nothing";

const amounts = (gained: Wares, points: number): string =>
  listed([...wareParts(gained), ...(points > 0 ? [counted(points, "point", "points")] : [])]);

/** Turns by number, neighbours together: turns 3, 5 and 7 to 12. */
function inTurns(turns: readonly number[]): string {
  const parts = ranges(turns, (from, to) => `${from} ${to === from + 1 ? "and" : "to"} ${to}`);
  return `${turns.length === 1 ? "turn" : "turns"} ${listed(parts)}`;
}

const KINDS: Record<string, string> = { sea: "sea", bridge: "bridge", island: "island", market: "market" };

const ROLES: Record<string, string> = {
  bridge: "shell collector",
  island: "banana picker",
  sea: "fisherman",
  market: "merchant",
};

function role(kind: string): string {
  return ROLES[kind] ?? "islander";
}

const EDGES: Record<Edge, string> = { n: "north", e: "east", s: "south", w: "west" };

export const en = {
  language: "en",
  title: "South Seas",
  description:
    "A board game of islands, bridges and ships, to play at once against the computer or with friends.",
  noScript: "This page needs JavaScript. The service itself does not: see /docs.",
  tagline: "Place tiles, send out islanders, deliver to ships.",
  listed,
  wares,
  wareParts,
  amounts,
  told,
  daysAndHours,
  points: (count: number) => counted(count, "point", "points"),
  colors: { red: "red", blue: "blue", green: "green", yellow: "yellow", black: "black" } as Record<
    string,
    string
  >,
  close: "Close",
  back: "All games",
  seatName: (seat: number) => `Player ${seat + 1}`,

  lobby: {
    yourName: "Your name",
    defaultName: "Captain",
    quick: "Play against the computer",
    quickHint: "Starts at once, with hints for every step.",
    friends: "Play with friends",
    level: COMPUTER,
    bots: { random: "Beginner", greedy: "Skilled", expert: "Expert" } as Record<string, string>,
    yourTables: "Your games",
    waiting: "Open games",
    live: "Games in progress",
    finished: "Finished games",
    join: "Join",
    watch: "Watch",
    replay: "Replay",
    resume: "Go on",
    look: "Open",
    forget: "Remove from this list",
    forgetSure: "Remove this game from the list? Without its link you cannot come back to it.",
    notKept: "This browser does not store data for this page. Your games are listed until you close the tab.",
    rules: "How it works",
    api: "API",
    status: {
      waiting: "waiting for players",
      active: "in progress",
      finished: "finished",
      aborted: "aborted",
    } as Record<string, string>,
    yourTurn: "Your turn",
    open: "free seat",
    seated: (seated: number, seats: number) =>
      seated === seats ? counted(seats, "player", "players") : `${seated} of ${seats} players`,
    clock: (time: Duration) => `${lasting(time)} a decision`,
    noClock: "no clock",
    ago: (time: Duration) => (time.unit === "second" ? "just now" : ago(time)),
    failed: (why: string) => `Error: ${why}`,
  },

  create: {
    heading: "New game",
    seat: (seat: number) => `Seat ${seat + 1}`,
    me: "Me",
    friend: "A friend, by link",
    here: "A player at this device",
    bot: (level: string) => `Computer · ${level}`,
    nobody: "Nobody",
    nameHere: (seat: number) => `Name for seat ${seat + 1}`,
    private: "Private: only people with the link can watch and join",
    edition: "Edition",
    editions: { international: "International", german: "German" } as Record<string, string>,
    editionHints: {
      international: "You may take an islander home only while none is left in your supply.",
      german: "You may take an islander home on any turn.",
    } as Record<string, string>,
    timeout: "Time for each decision",
    timeouts: {
      "": "No limit",
      "60": "1 minute",
      "300": "5 minutes",
      "86400": "1 day",
      "259200": "3 days",
    } as Record<string, string>,
    onTimeout: "When time runs out",
    policies: {
      pass: "The clock plays",
      bot: "The computer plays",
      resign: "The player resigns",
    } as Record<string, string>,
    go: "Create game",
  },

  join: {
    heading: "Take a seat?",
    go: "Join the game",
    color: "Your colour",
    any: "Any",
    invited: (names: string) => `${names} invited you to play.`,
  },

  game: {
    loading: "Loading the game…",
    missing: "This game does not exist, or the link is incomplete.",
    gone: "This game is gone, or your link to it has been replaced: then open the new link.",
    connection: {
      connecting: "Connecting…",
      connected: "Connected",
      http: "Connected over HTTP",
      reconnecting: "Reconnecting…",
    } as Record<string, string>,
    offline: "No connection. The page reconnects automatically.",
    unsent: "No connection. Your move will be sent when you are back online.",
    unsend: "Cancel the move",
    dropped: "Your move was not played, because the game has changed. Choose again.",
    notDone: "The request was not sent. Try again when you are online.",
    players: "Players",
    ships: "Ships in harbour",
    shipPile: (count: number) => (count ? `${count} more to come` : "no more to come"),
    bagLeft: (count: number) => `${counted(count, "tile", "tiles")} left`,
    turn: (turn: number) => `Turn ${turn}`,
    log: "History",
    tiles: "Tiles left",
    moves: "My moves",
    noMoves: "No moves right now.",
    more: "More",
    less: "Back to the board",
    menu: "Menu",
    page: "This page",
    signals: "When it is my turn",
    thisGame: "This game",
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    fit: "Show the whole board",
    others: "Show the other places",
    enlarge: "Show the tile large, to choose a place on it",
    lens: "The tile, shown large",
    help: "Help",
    language: "Language",
    theme: { auto: "Colours: as the device", light: "Colours: light", dark: "Colours: dark" } as Record<
      string,
      string
    >,
    tipsOn: "Show hints",
    tipsOff: "Hide hints",
    resign: "Give up",
    resignSure: (name: string | null) =>
      name === null
        ? "Resign this game? Your islanders return and you cannot win."
        : `Resign for ${name}? All islanders of this player return, and this player cannot win.`,
    abort: "Abort the game",
    abortSure: "Abort this game for all players?",
    copy: "Copy link",
    copied: "Copied",
    invite: "Send this link to other players:",
    leave: "Leave the game",
    sendAway: (name: string) => `Remove ${name}`,
    link: "Link to this game",
    board: "The board",
    replayStep: (step: number, of: number) => `Step ${step} of ${of}`,
    unknownPlayer: "Free seat",
    you: "you",
    bot: "computer",
    standIn: "played by the computer",
    resigned: "out of the game",
    spectating: "You are watching: all seats are taken.",
    nextGame: (count: number) => (count === 1 ? "1 game waits for you" : `${count} games wait for you`),
    left: (count: number) => `${count} left`,
    noneLeft: "none left",
  },

  unsent: {
    waits: "Your move waits to be sent.",
    unknown: "What you can do is shown once you are back online.",
  },

  sure: {
    no: "No",
  },

  away: {
    standsIn: (name: string | null) => `The computer is playing for ${name ?? "you"}.`,
    takeOver: "Take over",
    resting: "No other person is playing, so the game waits for you.",
    restingFor: "The game waits until one of its players is back.",
    paused: "The game is paused: for a whole round, nobody played.",
    resume: "I’m back",
    over: "Time is up.",
    hurry: (time: string) => `Only ${time} left!`,
    then: {
      pass: (phase: string) => CLOCK_DECIDES[phase] ?? "Then your turn ends.",
      bot: () => "Then the computer plays for you.",
      resign: () => "Then you are out: that counts as resigning.",
    } as Record<string, (phase: string) => string>,
    late: {
      pass: (phase: string) => CLOCK_DECIDES_NOW[phase] ?? "Your turn ends.",
      bot: () => "The computer plays for you.",
      resign: () => "You are out: that counts as resigning.",
    } as Record<string, (phase: string) => string>,
    bot: (name: string, turns: readonly number[]) => `The computer played for ${name} in ${inTurns(turns)}.`,
    clock: (name: string, turns: readonly number[]) =>
      `${owned(name)} time ran out, and the clock decided, in ${inTurns(turns)}.`,
    byBot: (name: string) => `The computer, for ${name},`,
    byClock: (name: string) => `The clock, for ${name},`,
  },

  notify: {
    ask: "Shall your device tell you when it is your turn again?",
    yes: "Yes, tell me",
    no: "No",
    sound: (isOn: boolean) => (isOn ? "Turn the sound off" : "Turn the sound on"),
    vibration: (isOn: boolean) => (isOn ? "Turn vibration off" : "Turn vibration on"),
    notifications: (isOn: boolean) => (isOn ? "Turn notifications off" : "Turn notifications on"),
    blocked: "Your browser blocks notifications from this page: allow them in its settings for this site.",
  },

  score: {
    now: "points from ships",
    final: "final points from ships and wares",
    winner: "winner",
    ifEnded: "if the game ended now",
    ships: "Ships",
    wares: "Wares",
    waresRule: "Wares, one point for three",
    pending: "From incomplete features",
    total: "Total",
    islandersHome: (count: number) => `${counted(count, "islander", "islanders")} at home`,
    find: (name: string) => `Show where ${owned(name)} islanders are`,
  },

  ship: {
    heading: (points: number) => `Ship of ${counted(points, "point", "points")}`,
    payable: "You have its wares. You can load it at the end of your turn.",
    payableNow: "You have its wares. You can load it now.",
    lacking: (certain: Wares, chosen: number, any: number) =>
      `You lack ${listed([
        ...wareParts(certain),
        ...(chosen > 0 ? [counted(chosen, "fitting ware", "fitting wares")] : []),
        ...(any > 0 ? [`${any} more of any kind`] : []),
      ])}.`,
  },

  islander: {
    of: (name: string, kind: string) => capitalized(`${owned(name)} ${role(kind)}`),
    /** In a list of one player's. */
    at: (kind: string, where: string) => `${capitalized(role(kind))} (${where})`,
    /** Goes on after `at`, as the next two do; `open` as of a feature, null while it is not known. */
    wouldBring: (value: number, unit: string, open: number | null) =>
      `would bring ${UNITS(value, unit)}${open ? `; ${MISSING(unit, open)}` : ""}`,
    outnumbered: "is outnumbered and would bring nothing",
    broughtNothing: "brought nothing",
  },

  actionBar: {
    waiting: (count: number) => `Waiting for ${counted(count, "player", "players")} to join.`,
    theirTurn: (name: string) => `It is ${owned(name)} turn`,
    theyDo: {
      place_tile: "They are placing this tile.",
      islander: "They may send out an islander.",
      take_ship: "They choose a ship.",
      deliver: "They may deliver to a ship.",
    } as Record<string, string>,
    botThinks: "The computer is thinking.",
    yourTurn: "Your turn",
    turnOf: (name: string) => `${name}, your turn`,
    placeTile: "Tap a marked cell for this tile, or drag it there.",
    placeTip: "Sides that touch must match: sea to sea, bridge to bridge, island to island.",
    placeChosen: "Tap the tile again to turn it. Then place it.",
    misfit: "It does not fit there.",
    placeChosenOnly: "There is nothing to turn here.",
    rotate: "Turn",
    place: "Place it",
    islander: "Send out an islander? Tap a marked spot.",
    islanderTip:
      "It stays there and works until that bridge, island or sea is finished, then brings you the wares.",
    islanderChosen: (kind: string) => ISLANDER_JOBS[kind] ?? "",
    retrieveChosen: (kind: string) => `Take this ${role(kind)} back home? You can send it out again.`,
    allOut:
      "All your islanders are out. Tap one on the board to take it home for a later turn, or leave them at work.",
    noneFree:
      "Nothing on this tile is free. Tap one of your islanders on the board to take it home, or leave them at work.",
    leaveThem: "Leave them",
    leaveAlways: "Leave them, and do not ask again in this game",
    askAgain: "Ask again whether to take islanders home",
    retrieveTip: "You can also retrieve one of your islanders from the board.",
    send: "Send out",
    takeHome: "Take home",
    noIslander: "No islander",
    takeShip: "Your market is surrounded! Choose a ship, it is yours for free.",
    take: "Take this ship",
    deliver: "You can load a ship. Choose one, or keep your wares.",
    deliverTip: "Ships give points: pay their wares to get them.",
    deliverGo: "Deliver",
    keep: "Keep my wares",
    undo: "Take back",
    deadline: (time: string) => `${time} left`,
    deadlineOver: "Time is up",
    paused: "paused",
  },

  pay: {
    with: "Pay with",
    only: "You pay",
    name: { bananas: "Bananas", shells: "Shells", fish: "Fish" },
    less: { bananas: "One banana less", shells: "One shell less", fish: "One fish less" },
    more: { bananas: "One banana more", shells: "One shell more", fish: "One fish more" },
    /** Below an amount: how many there are of the ware. */
    of: (held: number) => `of ${held}`,
    amount: (chosen: number, held: number) => `${chosen} of your ${held}`,
    progress: (chosen: number, needed: number) =>
      chosen < needed
        ? `${chosen} of ${needed} chosen, ${needed - chosen} missing.`
        : `All ${needed} chosen.`,
    takes: (cost: string) => `The ship takes ${cost}.`,
    impossible: (cost: string) => `Not these together: the ship takes ${cost}. Put some back.`,
  },

  result: {
    youWin: "You win!",
    wins: (name: string) => `${capitalized(owner(name))} wins`,
    share: (names: string) => `${names} share the win`,
    reasons: {
      last_tile: "The last tile has been placed.",
      last_ship: "The last ship has sailed.",
      bag_exhausted: "None of the last tiles could be placed.",
    } as Record<string, string>,
    youResigned: "You resigned.",
    resigned: (names: readonly string[]) => `${listed(names)} resigned.`,
    youWereLate: "Your time ran out, which counts as resigning.",
    late: (names: readonly string[]) => `Time ran out for ${listed(names)}, which counts as resigning.`,
    aborted: "This game was aborted.",
    rematch: "Play again",
    next: "Open the next game",
    replay: "Replay the game",
    again: "Play again?",
    againBy: "A rematch has been created. Open it to play again.",
    againToWatch: "A rematch has been created. You can watch it.",
    newGame: "New game",
  },

  replay: {
    heading: "Replay",
    play: "Play",
    pause: "Pause",
    first: "First step",
    previous: "Previous step",
    following: "Next step",
    last: "Last step",
    slider: "Step of the game",
    leave: "Close the replay",
  },

  say: {
    back: "Reconnected.",
    lost: "Connection lost. Reconnecting.",
  },

  describe: {
    beside: (sides: readonly [Edge, string][]) =>
      sides.map(([edge, kind]) => `${KINDS[kind] ?? kind} to the ${EDGES[edge]}`).join(", "),
    at,
    tileAt: (x: number, y: number) => (x === 0 && y === 0 ? "Start tile" : `Tile ${at(x, y)}`),
    cell: (where: string, beside: string, ways: number) =>
      `${where}: ${beside}; fits ${ways === 1 ? "one way" : `${ways} ways`}`,
    chosenCell: (where: string, turned: string) => `${where}, chosen, ${turned}. Enter places the tile.`,
    turned: (rotation: number) => (rotation === 0 ? "not turned" : `turned ${90 * rotation} degrees`),
    /** The service's text of the move tells segments of one kind apart: "place a fisherman in the sea region in the north". */
    spot: (placement: string) => placement.replace(/^place (.+?) (?:in|on) /, "Send out $1 to "),
    retrieve: (kind: string, where: string) => `Take back your ${role(kind)}, ${where}`,
    tile: (features: readonly string[]) => `Tile: ${features.join("; ")}`,
    ship: (points: number, cost: string) => `Ship of ${counted(points, "point", "points")} for ${cost}`,
    cost: {
      any: (count: number) => `${counted(count, "ware", "wares")} of any kind`,
      same: (count: number, group: number) =>
        `${count} of ${["one kind", "another", "a third"][group] ?? "one kind"}`,
    },
  },

  help: {
    heading: "How it works",
    place: {
      heading: "Place a tile",
      words:
        "On your turn you place one tile beside the others. Sides that touch must match: sea to sea, bridge to bridge, island to island.",
      picture:
        "Three tiles in a row. The last one, which is framed, continues the bridge of the one beside it.",
    },
    islander: {
      heading: "Send out an islander",
      words:
        "Then you may send one of your four islanders onto the new tile, if nobody is at work there on the same bridge, island or sea:",
    },
    retrieve: {
      heading: "Or take one home",
      words:
        "Instead you may take one of your islanders home from the board, which brings nothing: when all four are out, in the German edition on any turn.",
    },
    finished: {
      heading: "What is finished brings wares",
      words:
        "When a bridge, island or sea is finished, whoever has most islanders there gets all its wares, several players each, and the islanders come home.",
      picture: "A tile finishes an island with two bananas. Red has an islander there and gets 2 bananas.",
    },
    boat: {
      heading: "Boats",
      words:
        "A boat that is placed in a sea with fishermen brings the catch home early. Then it covers some of the fish, which nobody gets any more.",
      picture: "A boat comes to the sea of Blue’s fisherman, who brings 3 fish. The boat covers two of them.",
    },
    market: {
      heading: "Markets",
      words: "A merchant whose market is surrounded by eight tiles takes the best ship for free.",
      picture: "Yellow’s merchant in a market, with eight tiles around it.",
    },
    ships: {
      heading: "Deliver to a ship",
      words: "At the end of your turn you may pay wares for one of the four ships. Ships give points.",
    },
    end: {
      heading: "The end",
      words:
        "After the last tile or the last ship, what is not finished brings its wares as well. Three wares left over are one point. The most points win.",
    },
    rules: "All the rules",
    keys: "Keys",
    keyList: [
      ["Arrows", "walk over the board, tile by tile"],
      ["Page Up, Page Down", "go from choice to choice"],
      ["Enter", "choose, and once more to confirm"],
      ["R", "turn the tile"],
      ["U", "take back"],
      ["P", "pass: no islander, no delivery"],
      ["S", "say what is to be done, and the time left"],
      ["+ − F", "zoom in, out, show everything"],
      ["Esc", "cancel a choice"],
      ["?", "this help"],
    ] as readonly (readonly [string, string])[],
  },

  stock: (held: Wares) =>
    `${counted(held.bananas, "banana", "bananas")}, ${counted(held.shells, "shell", "shells")}, ${held.fish} fish`,

  walk: {
    cells: "Tiles and cells",
    cell: "cell",
    help: "Arrow keys walk over the board, Page Down goes to the next choice, Enter chooses, and once more confirms. R turns the tile, U takes back, P passes, S says what is to be done. Plus and minus zoom, F shows everything.",
    tile: (tile: string, isNewest: boolean) => (isNewest ? `${tile}, the last one placed.` : `${tile}.`),
    /** A feature of a tile: on which sides, what it is worth, what it lacks, who stands there. */
    feature: ({ kind, sides, wares, hasBoat, open, here, elsewhere }: DescribedFeature) =>
      [
        [KINDS[kind] ?? kind, listed(sides.map((side) => EDGES[side]))].join(" ").trim(),
        ...(wares === null ? [] : [UNITS(wares, YIELDS[kind] ?? "")]),
        ...(hasBoat ? ["a boat"] : []),
        ...(open === null ? [] : [LACKING(kind, open)]),
        ...(here === null ? [] : [`${owned(here)} ${ROLES[kind] ?? "islander"} here`]),
        ...elsewhere.map(
          ([name, number]) => `${counted(number, "islander", "islanders")} of ${owner(name)} elsewhere on it`,
        ),
      ].join(", "),
    around: (tiles: readonly Edge[], free: readonly Edge[]) =>
      [
        ...(tiles.length > 0 ? [`Tiles to the ${listed(tiles.map((side) => EDGES[side]))}.`] : []),
        ...(free.length > 0 ? [`Free to the ${listed(free.map((side) => EDGES[side]))}.`] : []),
      ].join(" "),
    free: (where: string, beside: string) => `Free, ${where}: ${beside}.`,
  },

  asked: {
    bar: "What is to be done",
    place: (tile: string, cells: number) => `${tile}. It fits in ${counted(cells, "place", "places")}.`,
    placeChosen: (where: string, turned: string, tile: string) =>
      `Chosen: ${where}, ${turned}. ${tile}. Enter places it, R turns it.`,
    placeChosenOnly: (where: string, turned: string, tile: string) =>
      `Chosen: ${where}, ${turned}. ${tile}. There is nothing to turn. Enter places it.`,
    islander: (spots: number, retrievable: number) =>
      [
        ...(spots > 0 ? [`Send out an islander? ${counted(spots, "spot is", "spots are")} free.`] : []),
        ...(retrievable > 0
          ? [`You may take back ${retrievable === 1 ? "an islander" : `one of ${retrievable} islanders`}.`]
          : []),
        "P passes.",
      ].join(" "),
    chosen: (what: string) => `Chosen. ${what} Enter confirms.`,
    deliver: (ships: number) =>
      `You can load ${ships === 1 ? "a ship" : `one of ${ships} ships`}. P keeps your wares.`,
    takeShip: (ships: number) =>
      `Your market is surrounded. Choose one of ${ships} ships, it is yours for free.`,
    pays: (paid: string) => `You pay ${paid}.`,
    turn: (name: string, what: string) => `${name}, your turn. ${what}`,
    yourTurn: (what: string) => `Your turn. ${what}`,
    scores: (totals: readonly (readonly [string, number])[]) =>
      `Final scores: ${listed(totals.map(([name, total]) => `${name} ${total}`))}.`,
    left: (time: Duration) => `${lasting(time)} left.`,
    hurry: (time: Duration) => `Only ${lasting(time)} left!`,
    points: (count: number) => `${counted(count, "point", "points")} from ships`,
    finalPoints: (count: number) => `${counted(count, "point", "points")} from ships and wares`,
    pointsIfEnded: (count: number, ended: number) =>
      `${counted(count, "point", "points")} from ships, ${ended} if the game ended now`,
  },

  course: {
    speed: "Speed",
    link: "Copy link to this step",
    copied: "Link copied",
    keys: "Space plays and stops, the arrow keys go one step on or back, Home and End go to the first and the last one.",
    said: (step: number, of: number, what: string) => `Step ${step} of ${of}. ${what}`,
  },

  proof: {
    open: "Check this game",
    progress: (done: number, of: number) => `Checking step ${done} of ${of}…`,
    checked: (steps: number) =>
      `Your browser has read the game’s whole log from the service, and computed the digests (SHA-256) of all ${steps} steps and the order of the tiles and ships from the seed.`,
    checkedSoFar: (steps: number) =>
      `Your browser has read the game’s log from the service, and computed the digests (SHA-256) of all ${steps} steps so far; the seed is secret until the game is over, and with it the order of the tiles and ships.`,
    right:
      "All is right: no step was changed, added or left out, each is the one that this page has shown, and the tiles and ships came in the order that was fixed before the first move.",
    rightSoFar:
      "All is right: no step was changed, added or left out, and each is the one that this page has shown.",
    wrong: {
      order: (step: number) => `Step ${step} is wrong: it is missing, or another one is in its place.`,
      digest: (step: number) =>
        `Step ${step} is wrong: its digest does not fit what it says and the steps before it, so one of these was changed.`,
      shown: (step: number) => `Step ${step} is wrong: it is not the one that this page has shown.`,
      patch: (step: number) => `Step ${step} is wrong: it cannot follow the game as it was before.`,
      commitment: (step: number) =>
        `Step ${step} is wrong: the seed that was revealed does not fit the commitment that was made there.`,
      tiles: (step: number) => `Step ${step} is wrong: the seed gives another tile there.`,
      ships: (step: number) => `Step ${step} is wrong: the seed gives another ship there.`,
    },
    limits:
      "This does not show whether the moves followed the rules, who made them, whether anybody knew the order before, or whether the service made up the whole log.",
    limitsChosen:
      "Whoever created this game chose its seed and could know the order; this does not show whether the moves followed the rules, who made them, or whether the service made up the whole log.",
    impossible: "Browsers compute digests only on pages that were opened over https.",
  },

  lesson: {
    learn: "Learn by playing",
    learnHint: "A first game in two minutes, with one hint at a time.",
    label: "Lesson",
    skip: "Skip",
    playOn: "Play on",
    shining: (choice: string) => `${choice}. It shines.`,
    theirs: "Now it is the computer’s turn.",
    place:
      "A turn begins with a tile. Its sides must match those that they touch: sea to sea, bridge to bridge, island to island. Choose the shining cell.",
    turn: (times: number, button: string) =>
      times === 1
        ? `It fits here in several ways. Press “${button}” once.`
        : `It fits here in several ways. Press “${button}” ${times} times.`,
    confirm: (button: string) => `It fits. Press “${button}”.`,
    now: "Now place this tile.",
    letters: (cost: string) =>
      `The shining ship asks for ${cost}: each letter is a kind of your choice, another letter another kind.`,
    home: (button: string) =>
      `All your islanders are out. You could tap one on the board now, and take it home for a later turn, without its wares. Or leave them: press “${button}”.`,
    again: "Place this tile on the shining cell as well.",
    finishes: {
      bridge: (gain: string) => `On the shining cell this tile finishes your bridge, and you get ${gain}.`,
      island: (gain: string) => `On the shining cell this tile finishes your island, and you get ${gain}.`,
      sea: (gain: string) => `On the shining cell this tile encloses your sea, and you get ${gain}.`,
      boat: (gain: string) => `On the shining cell this boat comes to your fisherman, and you get ${gain}.`,
    },
    first: "Now you may send one of your four islanders onto this tile.",
    works: {
      bridge:
        "A shell collector on the shining spot gets you all shells of the bridge once it has no open end.",
      island:
        "A banana picker on the shining spot gets you all bananas of the island once it has no open side.",
      sea: "A fisherman on the shining spot gets you all fish of the sea once it is enclosed, or a boat comes in.",
      market:
        "A merchant on the shining spot gets you the best ship for free once eight tiles surround the market.",
    } as Record<string, string>,
    another: "Another islander can work on the shining spot.",
    send: (button: string) => `Press “${button}”. It stays there until its work is done.`,
    already: "Here that is so already.",
    sendOnce: (button: string) => `Press “${button}”. It brings you what is there, and comes home at once.`,
    keep: (button: string) =>
      `You need not send anybody. Keep your islanders for a better place: press “${button}”.`,
    leave: (button: string) =>
      `Leave your islanders where they are: each comes home when its work is done. Press “${button}”.`,
    finished: {
      bridge: (gain: string) =>
        `Your bridge has no open end any more: you got ${gain}, and your shell collector is home again.`,
      island: (gain: string) =>
        `Your island has no open side any more: you got ${gain}, and your banana picker is home again.`,
      sea: (gain: string) => `Your sea is enclosed: you got ${gain}, and your fisherman is home again.`,
      boat: (gain: string) =>
        `A boat came into your sea: you got ${gain}, your fisherman is home again, and the boat took some fish away for good.`,
    },
    computer: (said: string) => `${said} Where it has an islander, you cannot send yours.`,
    ships: (points: string, cost: string) =>
      `Wares pay for ships, and ships are points. The shining ship is worth ${points} and asks for ${cost}.`,
    deliver: (points: string) => `You can pay for a ship! Choose the shining ship, it is worth ${points}.`,
    pay: (example: string) => `Choose the wares that you pay with, for example ${example}.`,
    load: (button: string) => `You pay with the wares that are shown. Press “${button}”.`,
    over: (points: string) =>
      `You have ${points}! The game ends with the last tile or the last ship. Then three wares left over are one point more, and the most points win. That is all!`,
    overWithout:
      "Collect wares for ships: they are your points. The game ends with the last tile or the last ship. Then three wares left over are one point more, and the most points win. That is all!",
  },

  share: {
    code: "QR code",
    of: (isWaiting: boolean) => (isWaiting ? "Invite players" : "Link to watch this game"),
    ofHint: (isWaiting: boolean) =>
      isWaiting
        ? "Whoever scans this code or opens the link can join."
        : "Whoever scans this code or opens the link can watch.",
    elsewhere: "Continue on another device",
    elsewhereHint:
      "Scan this code with your phone, or open the link on the other device. Whoever has it plays in your place.",
  },

  news: {
    since: (count: number) => `Since your last turn: ${counted(count, "change", "changes")}`,
    last: (count: number) => `In the last turn: ${counted(count, "change", "changes")}`,
    show: "Show on the board",
    gained: (name: string, gained: Wares, points: number) => `${name} has gained ${amounts(gained, points)}.`,
  },

  recap: {
    heading: "Meanwhile",
    skip: "Skip",
  },

  short: {
    tile: "tile",
    role,
    timedOut: "time ran out",
    latePlaced: "Time’s up: your tile was placed",
    late: "Time ran out for you",
    undone: "taken back",
    nothing: (features: number) => `${counted(features, "feature", "features")}: nothing`,
  },

  worth: {
    nothing: "The tile alone brings you nothing.",
    features: "What is on this tile",
    details: "Details",
    get: "You will get",
    getNothing: "You will get nothing.",
    soFar: "So far",
    open: LACKING,
    giveUp: "You give up",
    giveUpShip: "You give up the ship of the market.",
    giveUpNothing: "You give up nothing.",
  },
};

/** A feature as the one who walks over its tile is told of it. */
export interface DescribedFeature {
  readonly kind: string;
  readonly sides: readonly Edge[];
  /** What it gives; null where that is nothing to speak of. */
  readonly wares: number | null;
  readonly hasBoat: boolean;
  /** Open sides, for a market free cells around it; null where that is not known. */
  readonly open: number | null;
  /** The owner of the islander on this tile. */
  readonly here: string | null;
  /** The owners of islanders on its other tiles, and how many they are. */
  readonly elsewhere: readonly (readonly [string, number])[];
}

const YIELDS: Record<string, string> = { bridge: "shells", island: "bananas", sea: "fish" };

function LACKING(kind: string, open: number): string {
  if (open === 0) return "finished";
  return kind === "market"
    ? `${counted(open, "cell", "cells")} around it free`
    : `${counted(open, "side", "sides")} open`;
}

function MISSING(unit: string, open: number): string {
  return unit === "points"
    ? counted(open, "tile is missing", "tiles are missing")
    : counted(open, "side is open", "sides are open");
}

function UNITS(value: number, unit: string): string {
  switch (unit) {
    case "bananas":
      return counted(value, "banana", "bananas");
    case "shells":
      return counted(value, "shell", "shells");
    case "fish":
      return `${value} fish`;
    default:
      return `a ship of ${counted(value, "point", "points")}`;
  }
}

/** What the clock does first for a player whose turn it only ends, by phase. */
const CLOCK_DECIDES: Record<string, string> = {
  place_tile: "Then the clock places your tile, and nothing more.",
  take_ship: "Then the clock chooses the ship.",
};

/** The same when time is up. */
const CLOCK_DECIDES_NOW: Record<string, string> = {
  place_tile: "The clock places your tile, and nothing more.",
  take_ship: "The clock chooses the ship.",
};

const ISLANDER_JOBS: Record<string, string> = {
  bridge: "A shell collector: brings a shell for each one on the bridge, once it is finished at both ends.",
  island: "A banana picker: brings a banana for each one on the island, once it is closed all around.",
  sea: "A fisherman: brings all the fish of this sea, once it is enclosed or a boat comes.",
  market: "A merchant: takes the best ship for free, once eight tiles surround the market.",
};

export type Messages = Translatable<typeof en>;
