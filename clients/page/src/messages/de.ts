/** Every word of the page in German, with the terms of the German edition. */

import type { Wares } from "south-seas-client";
import type { Edge } from "../model/cells.ts";
import type { Duration } from "../model/deadline.ts";
import type { Messages } from "./en.ts";
import { capitalized, grammar, ranges } from "./grammar.ts";
import sentences from "./sentences/de.json";

const { ago, at, counted, daysAndHours, lasting, listed, plural, told } = grammar("de", sentences);

/** The name of the computer in a quick game. */
const COMPUTER = "Computer";

const wareParts = (held: Wares): string[] => [
  ...(held.bananas ? [counted(held.bananas, "Banane", "Bananen")] : []),
  ...(held.shells ? [counted(held.shells, "Muschel", "Muscheln")] : []),
  ...(held.fish ? [counted(held.fish, "Fisch", "Fische")] : []),
];

const wares = (held: Wares): string => listed(wareParts(held)) || "nichts";

const amounts = (gained: Wares, points: number): string =>
  listed([...wareParts(gained), ...(points > 0 ? [counted(points, "Punkt", "Punkte")] : [])]);

const points = (count: number): string => counted(count, "Punkt", "Punkte");

function inTurns(turns: readonly number[]): string {
  const parts = listed(ranges(turns, (from, to) => `${from} bis ${to}`));
  return turns.length === 1 ? `in Zug ${parts}` : `in den Zügen ${parts}`;
}

const KINDS: Record<string, string> = { sea: "Meer", bridge: "Steg", island: "Insel", market: "Markt" };

/** The same as the subject and as the object of a sentence. */
const ROLES: Record<string, string> = {
  bridge: "Muschelsammler",
  island: "Bananenpflücker",
  sea: "Fischer",
  market: "Händler",
};

function role(kind: string): string {
  return ROLES[kind] ?? "Insulaner";
}

const EDGES: Record<Edge, string> = { n: "im Norden", e: "im Osten", s: "im Süden", w: "im Westen" };

const beside = (sides: readonly [Edge, string][]): string =>
  sides.map(([edge, kind]) => `${KINDS[kind] ?? kind} ${EDGES[edge]}`).join(", ");

/** What the clock does first for a player whose turn it only ends, by phase. */
const CLOCK_DECIDES: Record<string, string> = {
  place_tile: "Dann legt die Uhr deine Karte, mehr nicht.",
  take_ship: "Dann wählt die Uhr das Schiff.",
};

/** The same when time is up. */
const CLOCK_DECIDES_NOW: Record<string, string> = {
  place_tile: "Die Uhr legt deine Karte, mehr nicht.",
  take_ship: "Die Uhr wählt das Schiff.",
};

const ISLANDER_JOBS: Record<string, string> = {
  bridge: "Ein Muschelsammler: Er bringt jede Muschel des Stegs, sobald dieser an beiden Enden fertig ist.",
  island: "Ein Bananenpflücker: Er bringt jede Banane der Insel, sobald sie ringsum fertig ist.",
  sea: "Ein Fischer: Er bringt alle Fische dieses Meeres, sobald es umschlossen ist oder ein Boot kommt.",
  market: "Ein Händler: Er nimmt umsonst das beste Schiff, sobald acht Karten den Markt umgeben.",
};

function inUnit(value: number, unit: string): string {
  switch (unit) {
    case "bananas":
      return counted(value, "Banane", "Bananen");
    case "shells":
      return counted(value, "Muschel", "Muscheln");
    case "fish":
      return counted(value, "Fisch", "Fische");
    default:
      return `ein Schiff (${points(value)})`;
  }
}

const YIELDS: Record<string, string> = { bridge: "shells", island: "bananas", sea: "fish" };

/** What a feature lacks until it is finished. */
function missing(unit: string, open: number): string {
  return unit === "points"
    ? counted(open, "Karte fehlt noch", "Karten fehlen noch")
    : counted(open, "Seite ist noch offen", "Seiten sind noch offen");
}

function lacking(kind: string, open: number): string {
  if (open === 0) return "fertig";
  return kind === "market"
    ? counted(open, "freies Feld ringsum", "freie Felder ringsum")
    : counted(open, "offene Seite", "offene Seiten");
}

export const de: Messages = {
  language: "de",
  title: "Südsee",
  description:
    "Ein Brettspiel mit Inseln, Stegen und Schiffen: sofort gegen den Computer oder mit anderen zusammen.",
  noScript: "Diese Seite braucht JavaScript. Der Dienst selbst braucht es nicht: siehe /docs.",
  tagline: "Lege Karten, setze Insulaner, beliefere Schiffe.",
  listed,
  wares,
  wareParts,
  amounts,
  told,
  daysAndHours,
  points,
  colors: { red: "rot", blue: "blau", green: "grün", yellow: "gelb", black: "schwarz" },
  close: "Schließen",
  back: "Alle Spiele",
  seatName: (seat) => `Spieler ${seat + 1}`,

  lobby: {
    yourName: "Dein Name",
    defaultName: "Käpt’n",
    quick: "Gegen den Computer spielen",
    quickHint: "Beginnt sofort, mit Tipps zu jedem Schritt.",
    friends: "Mit anderen spielen",
    level: COMPUTER,
    bots: { random: "Anfänger", greedy: "Geübt", expert: "Könner" },
    yourTables: "Deine Spiele",
    waiting: "Offene Spiele",
    live: "Laufende Spiele",
    finished: "Beendete Spiele",
    join: "Mitspielen",
    watch: "Zusehen",
    replay: "Ansehen",
    resume: "Weiter",
    look: "Öffnen",
    forget: "Aus der Liste nehmen",
    forgetSure: "Das Spiel aus der Liste nehmen? Ohne seinen Link kommst du nicht mehr dorthin zurück.",
    notKept:
      "Dieser Browser speichert nichts für diese Seite. Deine Spiele stehen in der Liste, bis du den Tab schließt.",
    rules: "So geht’s",
    api: "API",
    status: {
      waiting: "wartet auf Mitspieler",
      active: "läuft",
      finished: "beendet",
      aborted: "abgebrochen",
    },
    yourTurn: "Du bist am Zug",
    open: "freier Platz",
    seated: (seated, seats) => (seated === seats ? `${seats} Spieler` : `${seated} von ${seats} Spielern`),
    clock: (time: Duration) => `${lasting(time)} pro Entscheidung`,
    noClock: "ohne Uhr",
    ago: (time: Duration) => (time.unit === "second" ? "gerade eben" : ago(time)),
    failed: (why) => `Fehler: ${why}`,
  },

  create: {
    heading: "Neues Spiel",
    seat: (seat) => `Platz ${seat + 1}`,
    me: "Ich",
    friend: "Jemand, über einen Link",
    here: "Jemand an diesem Gerät",
    bot: (level) => `Computer · ${level}`,
    nobody: "Niemand",
    nameHere: (seat) => `Name für Platz ${seat + 1}`,
    private: "Privat: Nur wer den Link hat, kann zusehen und mitspielen",
    edition: "Ausgabe",
    editions: { international: "International", german: "Deutsch" },
    editionHints: {
      international: "Du darfst nur dann einen Insulaner zurücknehmen, wenn dein Vorrat leer ist.",
      german: "Du darfst in jedem Zug einen Insulaner zurücknehmen.",
    },
    timeout: "Zeit pro Entscheidung",
    timeouts: {
      "": "Ohne Grenze",
      "60": "1 Minute",
      "300": "5 Minuten",
      "86400": "1 Tag",
      "259200": "3 Tage",
    },
    onTimeout: "Wenn die Zeit abläuft",
    policies: {
      pass: "Die Uhr spielt",
      bot: "Der Computer spielt",
      resign: "Es gilt als Aufgabe",
    },
    go: "Spiel anlegen",
  },

  join: {
    heading: "Mitspielen?",
    go: "Am Spiel teilnehmen",
    color: "Deine Farbe",
    any: "Egal",
    invited: (names) => `Eine Einladung zum Spiel mit ${names}.`,
  },

  game: {
    loading: "Das Spiel wird geladen…",
    missing: "Dieses Spiel gibt es nicht, oder der Link ist unvollständig.",
    gone: "Dieses Spiel gibt es nicht mehr, oder dein Link wurde ersetzt: Öffne dann den neuen.",
    connection: {
      connecting: "Verbinden…",
      connected: "Verbunden",
      http: "Verbunden (HTTP)",
      reconnecting: "Neu verbinden…",
    },
    offline: "Keine Verbindung. Die Seite verbindet sich von selbst wieder.",
    unsent: "Keine Verbindung. Dein Zug wird gesendet, sobald du wieder online bist.",
    unsend: "Zug zurückziehen",
    dropped: "Dein Zug wurde nicht gespielt, weil sich das Spiel geändert hat. Wähle noch einmal.",
    notDone: "Die Anfrage wurde nicht gesendet. Versuche es noch einmal, wenn du online bist.",
    players: "Spieler",
    ships: "Schiffe im Hafen",
    shipPile: (count) => (count ? `noch ${count} im Stapel` : "keine mehr im Stapel"),
    bagLeft: (count) => `noch ${counted(count, "Karte", "Karten")}`,
    turn: (turn) => `Zug ${turn}`,
    log: "Verlauf",
    tiles: "Übrige Karten",
    moves: "Meine Züge",
    noMoves: "Zurzeit keine Züge.",
    more: "Mehr",
    less: "Zurück zum Plan",
    menu: "Menü",
    page: "Diese Seite",
    signals: "Wenn ich am Zug bin",
    thisGame: "Dieses Spiel",
    zoomIn: "Vergrößern",
    zoomOut: "Verkleinern",
    fit: "Den ganzen Plan zeigen",
    others: "Die anderen Möglichkeiten zeigen",
    enlarge: "Die Karte groß zeigen, um darauf einen Platz zu wählen",
    lens: "Die Karte, groß",
    help: "Hilfe",
    language: "Sprache",
    theme: {
      auto: "Farben: wie das Gerät",
      light: "Farben: hell",
      dark: "Farben: dunkel",
    },
    tipsOn: "Tipps zeigen",
    tipsOff: "Tipps ausblenden",
    resign: "Aufgeben",
    resignSure: (name) =>
      name === null
        ? "Dieses Spiel aufgeben? Deine Insulaner kommen vom Plan, und du kannst nicht mehr gewinnen."
        : `Für ${name} aufgeben? Alle Insulaner von ${name} kommen vom Plan, und ${name} kann nicht mehr gewinnen.`,
    abort: "Spiel abbrechen",
    abortSure: "Dieses Spiel für alle abbrechen?",
    copy: "Link kopieren",
    copied: "Kopiert",
    invite: "Schicke diesen Link an die anderen:",
    leave: "Das Spiel verlassen",
    sendAway: (name) => `${name} entfernen`,
    link: "Link zu diesem Spiel",
    board: "Der Spielplan",
    replayStep: (step, of) => `Schritt ${step} von ${of}`,
    unknownPlayer: "Freier Platz",
    you: "du",
    bot: "Computer",
    standIn: "der Computer spielt",
    resigned: "ausgeschieden",
    spectating: "Du siehst zu: Alle Plätze sind besetzt.",
    nextGame: (count) => counted(count, "Spiel wartet auf dich", "Spiele warten auf dich"),
    left: (count) => `noch ${count}`,
    noneLeft: "keine mehr",
  },

  unsent: {
    waits: "Dein Zug wartet darauf, gesendet zu werden.",
    unknown: "Was du tun kannst, siehst du, sobald du wieder online bist.",
  },

  sure: {
    no: "Nein",
  },

  away: {
    standsIn: (name) =>
      name === null ? "Der Computer spielt für dich." : `Der Computer spielt für ${name}.`,
    takeOver: "Selbst spielen",
    resting: "Niemand sonst spielt, deshalb wartet das Spiel auf dich.",
    restingFor: "Das Spiel wartet, bis jemand zurück ist.",
    paused: "Das Spiel pausiert: Eine Runde lang hat niemand gespielt.",
    resume: "Ich bin wieder da",
    over: "Die Zeit ist um.",
    hurry: (time) => `Nur noch ${time}!`,
    then: {
      pass: (phase) => CLOCK_DECIDES[phase] ?? "Dann endet dein Zug.",
      bot: () => "Dann spielt der Computer für dich.",
      resign: () => "Dann gilt das als Aufgabe.",
    },
    late: {
      pass: (phase) => CLOCK_DECIDES_NOW[phase] ?? "Dein Zug endet.",
      bot: () => "Der Computer spielt für dich.",
      resign: () => "Das gilt als Aufgabe.",
    },
    bot: (name, turns) => `Der Computer hat ${inTurns(turns)} für ${name} gespielt.`,
    clock: (name, turns) =>
      `Die Zeit von ${name} ist ${inTurns(turns)} abgelaufen, und die Uhr hat entschieden.`,
    byBot: (name) => `Der Computer (für ${name})`,
    byClock: (name) => `Die Uhr (für ${name})`,
  },

  notify: {
    ask: "Soll dein Gerät melden, wenn du wieder am Zug bist?",
    yes: "Ja, melden",
    no: "Nein",
    sound: (isOn) => (isOn ? "Ton ausschalten" : "Ton einschalten"),
    vibration: (isOn) => (isOn ? "Vibration ausschalten" : "Vibration einschalten"),
    notifications: (isOn) => (isOn ? "Mitteilungen ausschalten" : "Mitteilungen einschalten"),
    blocked:
      "Dein Browser blockiert die Mitteilungen dieser Seite: Erlaube sie in seinen Einstellungen für diese Website.",
  },

  score: {
    now: "Punkte durch Schiffe",
    final: "Punkte am Ende durch Schiffe und Waren",
    winner: "gewonnen",
    ifEnded: "wenn das Spiel jetzt zu Ende wäre",
    ships: "Schiffe",
    wares: "Waren",
    waresRule: "Waren, ein Punkt für je drei",
    pending: "Aus Unfertigem",
    total: "Summe",
    islandersHome: (count) => counted(count, "Insulaner im Vorrat", "Insulaner im Vorrat"),
    find: (name) => `Zeigen, wo die Insulaner von ${name} sind`,
  },

  ship: {
    heading: (count) => `Schiff (${points(count)})`,
    payable: "Du hast seine Waren. Du kannst es am Ende deines Zuges beliefern.",
    payableNow: "Du hast seine Waren. Du kannst es jetzt beliefern.",
    lacking: (certain, chosen, any) =>
      `Du brauchst noch ${listed([
        ...wareParts(certain),
        ...(chosen > 0 ? [counted(chosen, "passende Ware", "passende Waren")] : []),
        ...(any > 0 ? [counted(any, "beliebige Ware", "beliebige Waren")] : []),
      ])}.`,
  },

  islander: {
    of: (name, kind) => `${role(kind)} von ${name}`,
    at: (kind, where) => `${role(kind)} (${where}):`,
    wouldBring: (value, unit, open) =>
      `brächte ${inUnit(value, unit)}${open ? `; ${missing(unit, open)}` : ""}`,
    outnumbered: "ist in der Minderheit und brächte nichts",
    broughtNothing: "hat nichts gebracht",
  },

  actionBar: {
    waiting: (count) =>
      plural(count, { one: "Es fehlt noch # Mitspieler.", other: "Es fehlen noch # Mitspieler." }),
    theirTurn: (name) => (name === COMPUTER ? "Der Computer ist am Zug" : `${name} ist am Zug`),
    theyDo: {
      place_tile: "Diese Karte wird gerade gelegt.",
      islander: "Jetzt darf ein Insulaner gesetzt werden.",
      take_ship: "Jetzt wird ein Schiff gewählt.",
      deliver: "Jetzt darf ein Schiff beliefert werden.",
    },
    botThinks: "Der Computer überlegt.",
    yourTurn: "Du bist am Zug",
    turnOf: (name) => `${name}, du bist am Zug`,
    placeTile: "Tippe auf ein markiertes Feld für diese Karte, oder ziehe sie dorthin.",
    placeTip: "Seiten, die sich berühren, müssen passen: Meer an Meer, Steg an Steg, Insel an Insel.",
    placeChosen: "Tippe noch einmal auf die Karte, um sie zu drehen. Dann lege sie.",
    misfit: "Hier passt sie nicht.",
    placeChosenOnly: "Zu drehen gibt es hier nichts.",
    rotate: "Drehen",
    place: "Hinlegen",
    islander: "Einen Insulaner setzen? Tippe auf eine markierte Stelle.",
    islanderTip:
      "Er bleibt dort und arbeitet, bis Steg, Insel oder Meer fertig ist, und bringt dir dann die Waren.",
    islanderChosen: (kind) => ISLANDER_JOBS[kind] ?? "",
    retrieveChosen: (kind) => `Diesen ${role(kind)} zurücknehmen? Du kannst ihn wieder setzen.`,
    allOut:
      "Alle deine Insulaner sind gesetzt. Tippe auf einen auf dem Plan, um ihn für einen späteren Zug zurückzunehmen, oder lass sie stehen.",
    noneFree:
      "Auf dieser Karte ist nichts frei. Tippe auf einen deiner Insulaner auf dem Plan, um ihn zurückzunehmen, oder lass sie stehen.",
    leaveThem: "Stehen lassen",
    leaveAlways: "Stehen lassen und in diesem Spiel nicht mehr fragen",
    askAgain: "Wieder fragen, ob Insulaner zurückkommen",
    retrieveTip: "Du kannst auch einen deiner Insulaner vom Plan zurücknehmen.",
    send: "Setzen",
    takeHome: "Zurücknehmen",
    noIslander: "Kein Insulaner",
    takeShip: "Dein Markt ist umgeben! Wähle ein Schiff, es kostet nichts.",
    take: "Dieses Schiff nehmen",
    deliver: "Du kannst ein Schiff beliefern. Wähle eins, oder behalte deine Waren.",
    deliverTip: "Schiffe bringen Punkte: Bezahle sie mit den verlangten Waren.",
    deliverGo: "Liefern",
    keep: "Waren behalten",
    undo: "Rückgängig",
    deadline: (time) => `noch ${time}`,
    deadlineOver: "Die Zeit ist um",
    paused: "pausiert",
  },

  pay: {
    with: "Bezahlen mit",
    only: "Du zahlst",
    name: { bananas: "Bananen", shells: "Muscheln", fish: "Fische" },
    less: { bananas: "Eine Banane weniger", shells: "Eine Muschel weniger", fish: "Ein Fisch weniger" },
    more: { bananas: "Eine Banane mehr", shells: "Eine Muschel mehr", fish: "Ein Fisch mehr" },
    /** Below an amount: how many there are of the ware. */
    of: (held) => `von ${held}`,
    amount: (chosen, held) => `${chosen} von deinen ${held}`,
    progress: (chosen, needed) =>
      chosen < needed
        ? `${chosen} von ${needed} gewählt, ${needed - chosen} ${needed - chosen === 1 ? "fehlt" : "fehlen"}.`
        : `Alle ${needed} gewählt.`,
    takes: (cost) => `Das Schiff verlangt ${cost}.`,
    impossible: (cost) => `So geht es nicht auf: Das Schiff verlangt ${cost}. Nimm etwas zurück.`,
  },

  result: {
    youWin: "Du hast gewonnen!",
    wins: (name) => (name === COMPUTER ? "Der Computer gewinnt" : `${name} gewinnt`),
    share: (names) => `${names} teilen sich den Sieg`,
    reasons: {
      last_tile: "Die letzte Karte liegt.",
      last_ship: "Das letzte Schiff ist ausgelaufen.",
      bag_exhausted: "Keine der letzten Karten passte.",
    },
    youResigned: "Du hast aufgegeben.",
    resigned: (names) =>
      names.length === 1 ? `${listed(names)} hat aufgegeben.` : `${listed(names)} haben aufgegeben.`,
    youWereLate: "Deine Zeit ist abgelaufen, das gilt als Aufgabe.",
    late: (names) => `Die Zeit von ${listed(names)} ist abgelaufen, das gilt als Aufgabe.`,
    aborted: "Dieses Spiel wurde abgebrochen.",
    rematch: "Noch einmal spielen",
    next: "Das nächste Spiel öffnen",
    replay: "Rückblick",
    again: "Noch einmal?",
    againBy: "Es gibt eine Revanche. Öffne sie, um noch einmal zu spielen.",
    againToWatch: "Es gibt eine Revanche. Du kannst zuschauen.",
    newGame: "Neues Spiel",
  },

  replay: {
    heading: "Rückblick",
    play: "Abspielen",
    pause: "Pause",
    first: "Erster Schritt",
    previous: "Vorheriger Schritt",
    following: "Nächster Schritt",
    last: "Letzter Schritt",
    slider: "Schritt des Spiels",
    leave: "Rückblick schließen",
  },

  say: {
    back: "Wieder verbunden.",
    lost: "Verbindung verloren. Wird neu verbunden.",
  },

  describe: {
    beside,
    at,
    tileAt: (x, y) => (x === 0 && y === 0 ? "Startkarte" : `Karte ${at(x, y)}`),
    cell: (where, around, ways) =>
      `${where}: ${around}; passt auf ${ways === 1 ? "eine Art" : `${ways} Arten`}`,
    chosenCell: (where, turned) => `Gewählt: ${where}, Karte ${turned}. Eingabe legt die Karte.`,
    turned: (rotation) => (rotation === 0 ? "nicht gedreht" : `um ${90 * rotation} Grad gedreht`),
    spot: capitalized,
    retrieve: (kind, where) => `Deinen ${role(kind)} zurücknehmen, ${where}`,
    tile: (features) => `Karte: ${features.join("; ")}`,
    ship: (count, cost) => `Schiff (${points(count)}) für ${cost}`,
    cost: {
      any: (count) => counted(count, "beliebige Ware", "beliebige Waren"),
      same: (count, group) =>
        `${count} von ${["einer Sorte", "einer anderen", "einer dritten"][group] ?? "einer Sorte"}`,
    },
  },

  help: {
    heading: "So geht’s",
    place: {
      heading: "Eine Karte legen",
      words:
        "In deinem Zug legst du eine Karte neben die anderen. Seiten, die sich berühren, müssen passen: Meer an Meer, Steg an Steg, Insel an Insel.",
      picture: "Drei Karten in einer Reihe. Die letzte, eingerahmte, setzt den Steg der Karte daneben fort.",
    },
    islander: {
      heading: "Einen Insulaner setzen",
      words:
        "Dann darfst du einen deiner vier Insulaner auf die neue Karte setzen, wenn dort auf demselben Steg, derselben Insel oder im selben Meer noch niemand arbeitet:",
    },
    retrieve: {
      heading: "Oder einen zurücknehmen",
      words:
        "Stattdessen darfst du einen deiner Insulaner vom Plan zurücknehmen, der dann nichts bringt: wenn alle vier gesetzt sind, in der deutschen Ausgabe in jedem Zug.",
    },
    finished: {
      heading: "Was fertig ist, bringt Waren",
      words:
        "Wenn ein Steg, eine Insel oder ein Meer fertig ist, bekommt alle Waren davon, wer dort die meisten Insulaner hat, bei Gleichstand jeder, und die Insulaner kommen zurück.",
      picture:
        "Eine Karte macht eine Insel mit zwei Bananen fertig. Rot hat dort einen Insulaner und erhält 2 Bananen.",
    },
    boat: {
      heading: "Fischerboote",
      words:
        "Ein Fischerboot, das in ein Meer mit Fischern gelegt wird, bringt den Fang früher ein. Dann verdeckt es einige der Fische, die niemand mehr bekommt.",
      picture:
        "Ein Boot kommt in das Meer des blauen Fischers, der 3 Fische bringt. Das Boot verdeckt zwei davon.",
    },
    market: {
      heading: "Märkte",
      words: "Ein Händler, dessen Markt von acht Karten umgeben ist, nimmt umsonst das beste Schiff.",
      picture: "Der gelbe Händler auf einem Markt, um den acht Karten liegen.",
    },
    ships: {
      heading: "Ein Schiff beliefern",
      words:
        "Am Ende deines Zuges darfst du eines der vier Schiffe mit Waren beliefern. Schiffe bringen Punkte.",
    },
    end: {
      heading: "Das Ende",
      words:
        "Nach der letzten Karte oder dem letzten Schiff bringt auch Unfertiges seine Waren. Drei übrige Waren sind ein Punkt. Die meisten Punkte gewinnen.",
    },
    rules: "Alle Regeln (auf Englisch)",
    keys: "Tasten",
    keyList: [
      ["Pfeile", "über den Plan gehen, Karte für Karte"],
      ["Bild auf, Bild ab", "von Wahl zu Wahl gehen"],
      ["Eingabe", "wählen, und noch einmal zum Bestätigen"],
      ["R", "die Karte drehen"],
      ["U", "zurücknehmen"],
      ["P", "passen: kein Insulaner, keine Lieferung"],
      ["S", "sagen, was zu tun ist, und wie viel Zeit bleibt"],
      ["+ − F", "vergrößern, verkleinern, alles zeigen"],
      ["Esc", "eine Wahl aufheben"],
      ["?", "diese Hilfe"],
    ],
  },

  stock: ({ bananas, shells, fish }) =>
    [inUnit(bananas, "bananas"), inUnit(shells, "shells"), inUnit(fish, "fish")].join(", "),

  walk: {
    cells: "Karten und Felder",
    cell: "Feld",
    help: "Pfeiltasten gehen über den Plan, Bild ab führt zur nächsten Wahl, Eingabe wählt, und noch einmal bestätigt. R dreht die Karte, U nimmt zurück, P passt, S sagt, was zu tun ist. Plus und Minus zoomen, F zeigt alles.",
    tile: (tile, isNewest) => (isNewest ? `${tile}, die zuletzt gelegte.` : `${tile}.`),
    feature: ({ kind, sides, wares, hasBoat, open, here, elsewhere }) =>
      [
        [KINDS[kind] ?? kind, listed(sides.map((side) => EDGES[side]))].join(" ").trim(),
        ...(wares === null ? [] : [inUnit(wares, YIELDS[kind] ?? "")]),
        ...(hasBoat ? ["ein Boot"] : []),
        ...(open === null ? [] : [lacking(kind, open)]),
        ...(here === null ? [] : [`${role(kind)} hier (${here})`]),
        ...elsewhere.map(
          ([name, number]) => `${counted(number, "Insulaner", "Insulaner")} anderswo darauf (${name})`,
        ),
      ].join(", "),
    around: (tiles, free) =>
      [
        ...(tiles.length > 0 ? [`Karten ${listed(tiles.map((side) => EDGES[side]))}.`] : []),
        ...(free.length > 0 ? [`Frei ${listed(free.map((side) => EDGES[side]))}.`] : []),
      ].join(" "),
    free: (where, around) => `Frei, ${where}: ${around}.`,
  },

  asked: {
    bar: "Was zu tun ist",
    place: (tile, cells) => `${tile}. Sie passt ${cells === 1 ? "an 1 Stelle" : `an ${cells} Stellen`}.`,
    placeChosen: (where, turned, tile) =>
      `Gewählt: ${where}, ${turned}. ${tile}. Eingabe legt sie, R dreht sie.`,
    placeChosenOnly: (where, turned, tile) =>
      `Gewählt: ${where}, ${turned}. ${tile}. Zu drehen gibt es nichts. Eingabe legt sie.`,
    islander: (spots, retrievable) =>
      [
        ...(spots > 0
          ? [`Einen Insulaner setzen? ${counted(spots, "Stelle ist frei", "Stellen sind frei")}.`]
          : []),
        ...(retrievable > 0
          ? [
              retrievable === 1
                ? "Du darfst einen Insulaner zurücknehmen."
                : `Du darfst einen von ${retrievable} Insulanern zurücknehmen.`,
            ]
          : []),
        "P passt.",
      ].join(" "),
    chosen: (what) => `Gewählt. ${what} Eingabe bestätigt.`,
    deliver: (ships) =>
      ships === 1
        ? "Du kannst ein Schiff beliefern. P behält deine Waren."
        : `Du kannst eines von ${ships} Schiffen beliefern. P behält deine Waren.`,
    takeShip: (ships) => `Dein Markt ist umgeben. Wähle eines von ${ships} Schiffen, es kostet nichts.`,
    pays: (paid) => `Du zahlst ${paid}.`,
    turn: (name, what) => `${name}, du bist am Zug. ${what}`,
    yourTurn: (what) => `Du bist am Zug. ${what}`,
    scores: (totals) => `Endstand: ${listed(totals.map(([name, total]) => `${name} ${total}`))}.`,
    left: (time) => `Noch ${lasting(time)}.`,
    hurry: (time) => `Nur noch ${lasting(time)}!`,
    points: (count) => `${points(count)} durch Schiffe`,
    finalPoints: (count) => `${points(count)} durch Schiffe und Waren`,
    pointsIfEnded: (count, ended) =>
      `${points(count)} durch Schiffe, ${ended}, wenn das Spiel jetzt zu Ende wäre`,
  },

  course: {
    speed: "Tempo",
    link: "Link zu diesem Schritt kopieren",
    copied: "Link kopiert",
    keys: "Die Leertaste spielt ab und hält an, die Pfeiltasten gehen einen Schritt vor oder zurück, Pos1 und Ende führen zum ersten und zum letzten.",
    said: (step, of, what) => `Schritt ${step} von ${of}. ${what}`,
  },

  proof: {
    open: "Dieses Spiel prüfen",
    progress: (done, of) => `Schritt ${done} von ${of} wird geprüft…`,
    checked: (steps) =>
      `Dein Browser hat das ganze Protokoll des Spiels vom Dienst gelesen und die Prüfsummen (SHA-256) aller ${steps} Schritte sowie die Reihenfolge der Karten und Schiffe aus dem Startwert berechnet.`,
    checkedSoFar: (steps) =>
      `Dein Browser hat das Protokoll des Spiels vom Dienst gelesen und die Prüfsummen (SHA-256) der bisher ${steps} Schritte berechnet; der Startwert bleibt bis zum Ende des Spiels geheim, und mit ihm die Reihenfolge der Karten und Schiffe.`,
    right:
      "Alles stimmt: Kein Schritt wurde geändert, eingefügt oder weggelassen, jeder ist der, den diese Seite gezeigt hat, und die Karten und Schiffe kamen in der Reihenfolge, die vor dem ersten Zug feststand.",
    rightSoFar:
      "Alles stimmt: Kein Schritt wurde geändert, eingefügt oder weggelassen, und jeder ist der, den diese Seite gezeigt hat.",
    wrong: {
      order: (step) => `Schritt ${step} ist falsch: Er fehlt, oder ein anderer steht an seiner Stelle.`,
      digest: (step) =>
        `Schritt ${step} ist falsch: Seine Prüfsumme passt nicht zu dem, was er sagt, und zu den Schritten davor; einer davon wurde also geändert.`,
      shown: (step) => `Schritt ${step} ist falsch: Er ist nicht der, den diese Seite gezeigt hat.`,
      patch: (step) => `Schritt ${step} ist falsch: Er kann nicht auf das Spiel folgen, wie es vorher war.`,
      commitment: (step) =>
        `Schritt ${step} ist falsch: Der aufgedeckte Startwert passt nicht zu dem, was dort zugesagt wurde.`,
      tiles: (step) => `Schritt ${step} ist falsch: Der Startwert ergibt dort eine andere Karte.`,
      ships: (step) => `Schritt ${step} ist falsch: Der Startwert ergibt dort ein anderes Schiff.`,
    },
    limits:
      "Diese Prüfung zeigt nicht, ob die Züge den Regeln folgten, wer sie gemacht hat, ob jemand die Reihenfolge vorher kannte und ob der Dienst das ganze Protokoll erfunden hat.",
    limitsChosen:
      "Wer dieses Spiel angelegt hat, hat den Startwert gewählt und konnte die Reihenfolge kennen; und diese Prüfung zeigt nicht, ob die Züge den Regeln folgten, wer sie gemacht hat und ob der Dienst das ganze Protokoll erfunden hat.",
    impossible: "Browser berechnen Prüfsummen nur auf Seiten, die über https geöffnet wurden.",
  },

  lesson: {
    learn: "Spielend lernen",
    learnHint: "Ein erstes Spiel in zwei Minuten, mit einem Hinweis nach dem anderen.",
    label: "Lektion",
    skip: "Überspringen",
    playOn: "Weiterspielen",
    shining: (choice) => `${choice}. Das leuchtet.`,
    theirs: "Jetzt ist der Computer am Zug.",
    place:
      "Ein Zug beginnt mit einer Karte. Ihre Seiten müssen zu denen passen, die sie berühren: Meer an Meer, Steg an Steg, Insel an Insel. Wähle das leuchtende Feld.",
    turn: (times, button) =>
      times === 1
        ? `Sie passt hier auf mehrere Arten. Drücke einmal „${button}“.`
        : `Sie passt hier auf mehrere Arten. Drücke ${times}-mal „${button}“.`,
    confirm: (button) => `Sie passt. Drücke „${button}“.`,
    now: "Lege jetzt diese Karte.",
    letters: (cost) =>
      `Das leuchtende Schiff will ${cost}: Jeder Buchstabe ist eine Sorte deiner Wahl, ein anderer eine andere.`,
    home: (button) =>
      `Alle deine Insulaner sind gesetzt. Du könntest jetzt einen auf dem Plan antippen und für einen späteren Zug zurücknehmen, ohne seine Waren. Oder lass sie stehen: Drücke „${button}“.`,
    again: "Lege auch diese Karte auf das leuchtende Feld.",
    finishes: {
      bridge: (gain) =>
        `Auf dem leuchtenden Feld wird mit dieser Karte dein Steg fertig, und du bekommst ${gain}.`,
      island: (gain) =>
        `Auf dem leuchtenden Feld wird mit dieser Karte deine Insel fertig, und du bekommst ${gain}.`,
      sea: (gain) => `Auf dem leuchtenden Feld umschließt diese Karte dein Meer, und du bekommst ${gain}.`,
      boat: (gain) =>
        `Auf dem leuchtenden Feld kommt dieses Boot zu deinem Fischer, und du bekommst ${gain}.`,
    },
    first: "Jetzt darfst du einen deiner vier Insulaner auf diese Karte setzen.",
    works: {
      bridge:
        "Ein Muschelsammler an der leuchtenden Stelle bringt dir alle Muscheln des Stegs, sobald dieser kein offenes Ende mehr hat.",
      island:
        "Ein Bananenpflücker an der leuchtenden Stelle bringt dir alle Bananen der Insel, sobald sie keine offene Seite mehr hat.",
      sea: "Ein Fischer an der leuchtenden Stelle bringt dir alle Fische des Meeres, sobald es umschlossen ist oder ein Boot kommt.",
      market:
        "Ein Händler an der leuchtenden Stelle bringt dir umsonst das beste Schiff, sobald acht Karten den Markt umgeben.",
    },
    another: "Auf der leuchtenden Stelle kann noch ein Insulaner arbeiten.",
    send: (button) => `Drücke „${button}“. Er bleibt dort, bis seine Arbeit getan ist.`,
    already: "Hier ist das schon so.",
    sendOnce: (button) => `Drücke „${button}“. Er bringt dir, was da ist, und kommt gleich zurück.`,
    keep: (button) =>
      `Du musst niemanden setzen. Hebe deine Insulaner für eine bessere Stelle auf: Drücke „${button}“.`,
    leave: (button) =>
      `Lass deine Insulaner stehen: Jeder kommt zurück, wenn seine Arbeit getan ist. Drücke „${button}“.`,
    finished: {
      bridge: (gain) =>
        `Dein Steg hat kein offenes Ende mehr: Du hast ${gain} bekommen, und dein Muschelsammler ist wieder zu Hause.`,
      island: (gain) =>
        `Deine Insel hat keine offene Seite mehr: Du hast ${gain} bekommen, und dein Bananenpflücker ist wieder zu Hause.`,
      sea: (gain) =>
        `Dein Meer ist umschlossen: Du hast ${gain} bekommen, und dein Fischer ist wieder zu Hause.`,
      boat: (gain) =>
        `Ein Boot kam in dein Meer: Du hast ${gain} bekommen, dein Fischer ist wieder zu Hause, und das Boot hat einige Fische für immer mitgenommen.`,
    },
    computer: (said) => `${said} Wo er einen Insulaner hat, darfst du keinen setzen.`,
    ships: (points, cost) =>
      `Für Waren gibt es Schiffe, und Schiffe sind Punkte. Das leuchtende Schiff zählt ${points} und verlangt ${cost}.`,
    deliver: (points) => `Du kannst ein Schiff beliefern! Wähle das leuchtende Schiff, es zählt ${points}.`,
    pay: (example) => `Wähle die Waren, mit denen du bezahlst, zum Beispiel ${example}.`,
    load: (button) => `Du bezahlst mit den gezeigten Waren. Drücke „${button}“.`,
    over: (points) =>
      `Du hast ${points}! Das Spiel endet mit der letzten Karte oder dem letzten Schiff. Dann zählen je drei übrige Waren einen Punkt, und die meisten Punkte gewinnen. Das ist alles!`,
    overWithout:
      "Sammle Waren für Schiffe: Sie sind deine Punkte. Das Spiel endet mit der letzten Karte oder dem letzten Schiff. Dann zählen je drei übrige Waren einen Punkt, und die meisten Punkte gewinnen. Das ist alles!",
  },

  share: {
    code: "QR-Code",
    of: (isWaiting) => (isWaiting ? "Mitspieler einladen" : "Link zum Zusehen"),
    ofHint: (isWaiting) =>
      isWaiting
        ? "Wer diesen Code scannt oder den Link öffnet, kann mitspielen."
        : "Wer diesen Code scannt oder den Link öffnet, kann zusehen.",
    elsewhere: "Auf einem anderen Gerät weiterspielen",
    elsewhereHint:
      "Scanne diesen Code mit dem Handy, oder öffne den Link auf dem anderen Gerät. Wer ihn hat, spielt an deiner Stelle.",
  },

  news: {
    since: (count) => `Seit deinem letzten Zug: ${counted(count, "Ereignis", "Ereignisse")}`,
    last: (count) => `Im letzten Zug: ${counted(count, "Ereignis", "Ereignisse")}`,
    show: "Auf dem Plan zeigen",
    gained: (name, gained, points) => `Neu bei ${name}: ${amounts(gained, points)}.`,
  },

  recap: {
    heading: "Inzwischen",
    skip: "Überspringen",
  },

  short: {
    tile: "Karte",
    role,
    timedOut: "Zeit abgelaufen",
    latePlaced: "Zeit um: deine Karte liegt",
    late: "Deine Zeit ist abgelaufen",
    undone: "zurückgenommen",
    nothing: (features) => `${counted(features, "Gebiet", "Gebiete")}: nichts`,
  },

  worth: {
    nothing: "Die Karte allein bringt dir nichts.",
    features: "Auf dieser Karte",
    details: "Einzelheiten",
    get: "Du bekommst",
    getNothing: "Du bekommst nichts.",
    soFar: "Bisher",
    open: lacking,
    giveUp: "Du gibst auf:",
    giveUpShip: "Du gibst das Schiff des Marktes auf.",
    giveUpNothing: "Du gibst nichts auf.",
  },
};
