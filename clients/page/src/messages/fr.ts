/** Every word of the page in French, with the terms of the French rulebook. */

import type { Wares } from "south-seas-client";
import type { Edge } from "../model/cells.ts";
import type { Duration } from "../model/deadline.ts";
import type { Messages } from "./en.ts";
import { capitalized, grammar, ranges, typeset } from "./grammar.ts";
import sentences from "./sentences/fr.json";

const { ago, at, counted, daysAndHours, lasting, listed, plural, told } = grammar("fr", sentences);

/** The name of the computer in a quick game. */
const COMPUTER = "Ordinateur";

const wareParts = (held: Wares): string[] => [
  ...(held.bananas ? [counted(held.bananas, "banane", "bananes")] : []),
  ...(held.shells ? [counted(held.shells, "coquillage", "coquillages")] : []),
  ...(held.fish ? [counted(held.fish, "poisson", "poissons")] : []),
];

const wares = (held: Wares): string => listed(wareParts(held)) || "rien";

const amounts = (gained: Wares, points: number): string =>
  listed([...wareParts(gained), ...(points > 0 ? [counted(points, "point", "points")] : [])]);

const points = (count: number): string => counted(count, "point", "points");

function inTurns(turns: readonly number[]): string {
  const parts = listed(ranges(turns, (from, to) => `${from} à ${to}`));
  return turns.length === 1 ? `au tour ${parts}` : `aux tours ${parts}`;
}

const KINDS: Record<string, string> = { sea: "mer", bridge: "pont", island: "île", market: "marché" };

const ROLES: Record<string, string> = {
  bridge: "collecteur de coquillages",
  island: "cueilleur de bananes",
  sea: "pêcheur",
  market: "marchand",
};

function role(kind: string): string {
  return ROLES[kind] ?? "insulaire";
}

const EDGES: Record<Edge, string> = { n: "au nord", e: "à l’est", s: "au sud", w: "à l’ouest" };

const beside = (sides: readonly [Edge, string][]): string =>
  sides.map(([edge, kind]) => `${KINDS[kind] ?? kind} ${EDGES[edge]}`).join(", ");

/** What the clock does first for a player whose turn it only ends, by phase. */
const CLOCK_DECIDES: Record<string, string> = {
  place_tile: "Ensuite, l’horloge posera votre tuile, rien de plus.",
  take_ship: "Ensuite, l’horloge choisira le navire.",
};

/** The same when time is up. */
const CLOCK_DECIDES_NOW: Record<string, string> = {
  place_tile: "L’horloge pose votre tuile, rien de plus.",
  take_ship: "L’horloge choisit le navire.",
};

const ISLANDER_JOBS: Record<string, string> = {
  bridge:
    "Un collecteur de coquillages : il rapporte chaque coquillage du pont, dès que celui-ci n’a plus de bout ouvert.",
  island: "Un cueilleur de bananes : il rapporte chaque banane de l’île, dès qu’elle est entourée d’eau.",
  sea: "Un pêcheur : il rapporte tous les poissons de cette mer, dès qu’elle est fermée ou qu’un bateau arrive.",
  market: "Un marchand : il prend gratuitement le meilleur navire, dès que huit tuiles entourent le marché.",
};

function inUnit(value: number, unit: string): string {
  switch (unit) {
    case "bananas":
      return counted(value, "banane", "bananes");
    case "shells":
      return counted(value, "coquillage", "coquillages");
    case "fish":
      return counted(value, "poisson", "poissons");
    default:
      return `un navire à ${points(value)}`;
  }
}

const YIELDS: Record<string, string> = { bridge: "shells", island: "bananas", sea: "fish" };

/** What a feature lacks until it is complete. */
function missing(unit: string, open: number): string {
  return unit === "points"
    ? `il manque ${counted(open, "tuile", "tuiles")}`
    : counted(open, "côté reste ouvert", "côtés restent ouverts");
}

function lacking(kind: string, open: number): string {
  if (open === 0) return kind === "sea" || kind === "island" ? "complète" : "complet";
  return kind === "market"
    ? counted(open, "case libre autour", "cases libres autour")
    : counted(open, "côté ouvert", "côtés ouverts");
}

const french: Messages = {
  language: "fr",
  title: "Mers du Sud",
  description:
    "Un jeu de plateau avec des îles, des ponts et des navires, à jouer tout de suite contre l’ordinateur ou entre amis.",
  noScript: "Cette page a besoin de JavaScript. Le service lui-même s’en passe : voir /docs.",
  tagline: "Posez des tuiles, placez des insulaires, chargez les navires.",
  listed,
  wares,
  wareParts,
  amounts,
  told,
  daysAndHours,
  points,
  colors: { red: "rouge", blue: "bleu", green: "vert", yellow: "jaune", black: "noir" },
  close: "Fermer",
  back: "Toutes les parties",
  seatName: (seat) => `Joueur ${seat + 1}`,

  lobby: {
    yourName: "Votre nom",
    defaultName: "Capitaine",
    quick: "Jouer contre l’ordinateur",
    quickHint: "Commence tout de suite, avec un conseil à chaque étape.",
    friends: "Jouer entre amis",
    level: COMPUTER,
    bots: { random: "Débutant", greedy: "Confirmé", expert: "Expert" },
    yourTables: "Vos parties",
    waiting: "Parties ouvertes",
    live: "Parties en cours",
    finished: "Parties terminées",
    join: "Rejoindre",
    watch: "Regarder",
    replay: "Revoir",
    resume: "Continuer",
    look: "Ouvrir",
    forget: "Retirer de cette liste",
    forgetSure: "Retirer la partie de la liste ? Sans son lien, vous ne pourrez plus y revenir.",
    notKept:
      "Ce navigateur n’enregistre rien pour cette page. Vos parties restent dans la liste tant que l’onglet est ouvert.",
    rules: "Comment jouer",
    api: "API",
    status: {
      waiting: "en attente de joueurs",
      active: "en cours",
      finished: "terminée",
      aborted: "annulée",
    },
    yourTurn: "À vous de jouer",
    open: "place libre",
    seated: (seated, seats) =>
      counted(seated, "joueur", "joueurs") + (seated === seats ? "" : ` sur ${seats}`),
    clock: (time: Duration) => `${lasting(time)} par décision`,
    noClock: "sans limite de temps",
    ago: (time: Duration) => (time.unit === "second" ? "à l’instant" : ago(time)),
    failed: (why) => `Erreur : ${why}`,
  },

  create: {
    heading: "Nouvelle partie",
    seat: (seat) => `Place ${seat + 1}`,
    me: "Moi",
    friend: "Quelqu’un, par un lien",
    here: "Quelqu’un sur cet appareil",
    bot: (level) => `Ordinateur · ${level}`,
    nobody: "Personne",
    nameHere: (seat) => `Nom pour la place ${seat + 1}`,
    private: "Privée : il faut le lien pour regarder et participer",
    edition: "Édition",
    editions: { international: "Internationale", german: "Allemande" },
    editionHints: {
      international: "Vous ne pouvez reprendre un insulaire que si votre réserve est vide.",
      german: "Vous pouvez reprendre un insulaire à chaque tour.",
    },
    timeout: "Temps par décision",
    timeouts: {
      "": "Sans limite",
      "60": "1 minute",
      "300": "5 minutes",
      "86400": "1 jour",
      "259200": "3 jours",
    },
    onTimeout: "Quand le temps est écoulé",
    policies: {
      pass: "L’horloge joue",
      bot: "L’ordinateur joue",
      resign: "C’est un abandon",
    },
    go: "Créer la partie",
  },

  join: {
    heading: "Prendre une place ?",
    go: "Rejoindre la partie",
    color: "Votre couleur",
    any: "Peu importe",
    invited: (names) => `Une invitation à jouer avec ${names}.`,
  },

  game: {
    loading: "Chargement de la partie…",
    missing: "Cette partie n’existe pas, ou le lien est incomplet.",
    gone: "Cette partie n’existe plus, ou votre lien a été remplacé : ouvrez alors le nouveau.",
    connection: {
      connecting: "Connexion…",
      connected: "En ligne",
      http: "En ligne (HTTP)",
      reconnecting: "Reconnexion…",
    },
    offline: "Pas de connexion. La page se reconnecte toute seule.",
    unsent: "Pas de connexion. Votre coup sera envoyé dès le retour du réseau.",
    unsend: "Annuler le coup",
    dropped: "Votre coup n’a pas été joué, car la partie a changé. Choisissez à nouveau.",
    notDone: "La demande n’a pas été envoyée. Réessayez quand vous serez en ligne.",
    players: "Joueurs",
    ships: "Navires au port",
    shipPile: (count) => (count ? `encore ${count} à venir` : "plus aucun à venir"),
    bagLeft: (count) => counted(count, "tuile restante", "tuiles restantes"),
    turn: (turn) => `Tour ${turn}`,
    log: "Historique",
    tiles: "Tuiles restantes",
    moves: "Mes coups",
    noMoves: "Aucun coup pour le moment.",
    more: "Plus",
    less: "Retour au plateau",
    menu: "Menu",
    page: "Cette page",
    signals: "Quand c’est mon tour",
    thisGame: "Cette partie",
    zoomIn: "Agrandir",
    zoomOut: "Réduire",
    fit: "Montrer tout le plateau",
    others: "Montrer les autres possibilités",
    enlarge: "Montrer la tuile en grand, pour y choisir une place",
    lens: "La tuile, en grand",
    help: "Aide",
    language: "Langue",
    theme: {
      auto: "Couleurs : celles de l’appareil",
      light: "Couleurs : claires",
      dark: "Couleurs : sombres",
    },
    tipsOn: "Afficher les conseils",
    tipsOff: "Masquer les conseils",
    resign: "Abandonner",
    resignSure: (name) =>
      name === null
        ? "Abandonner cette partie ? Vos insulaires quittent le plateau et vous ne pouvez plus gagner."
        : `Abandonner pour ${name} ? Tous ses insulaires quittent le plateau, et ${name} ne peut plus gagner.`,
    abort: "Annuler la partie",
    abortSure: "Annuler cette partie pour tout le monde ?",
    copy: "Copier le lien",
    copied: "Copié",
    invite: "Envoyez ce lien aux autres joueurs :",
    leave: "Quitter la partie",
    sendAway: (name) => `Retirer ${name}`,
    link: "Lien vers cette partie",
    board: "Le plateau",
    replayStep: (step, of) => `Étape ${step} sur ${of}`,
    unknownPlayer: "Place libre",
    you: "vous",
    bot: "ordinateur",
    standIn: "l’ordinateur joue",
    resigned: "hors jeu",
    spectating: "Vous regardez la partie : toutes les places sont prises.",
    nextGame: (count) => counted(count, "partie vous attend", "parties vous attendent"),
    left: (count) => counted(count, "restante", "restantes"),
    noneLeft: "aucune restante",
  },

  unsent: {
    waits: "Votre coup attend d’être envoyé.",
    unknown: "Vos choix s’afficheront dès le retour du réseau.",
  },

  sure: {
    no: "Non",
  },

  away: {
    standsIn: (name) =>
      name === null ? "L’ordinateur joue à votre place." : `L’ordinateur joue pour ${name}.`,
    takeOver: "Reprendre la main",
    resting: "Personne d’autre ne joue : la partie vous attend.",
    restingFor: "La partie attend le retour de quelqu’un.",
    paused: "La partie est en pause : personne n’a joué pendant un tour complet.",
    resume: "Je suis de retour",
    over: "Temps écoulé.",
    hurry: (time) => `Plus que ${time} !`,
    then: {
      pass: (phase) => CLOCK_DECIDES[phase] ?? "Ensuite, votre tour se termine.",
      bot: () => "Ensuite, l’ordinateur jouera pour vous.",
      resign: () => "Ensuite, cela comptera comme un abandon.",
    },
    late: {
      pass: (phase) => CLOCK_DECIDES_NOW[phase] ?? "Votre tour se termine.",
      bot: () => "L’ordinateur joue pour vous.",
      resign: () => "Cela compte comme un abandon.",
    },
    bot: (name, turns) => `L’ordinateur a joué pour ${name} ${inTurns(turns)}.`,
    clock: (name, turns) => `Temps écoulé pour ${name} ${inTurns(turns)} : l’horloge a décidé.`,
    byBot: (name) => `L’ordinateur (pour ${name})`,
    byClock: (name) => `L’horloge (pour ${name})`,
  },

  notify: {
    ask: "Votre appareil doit-il vous prévenir quand c’est de nouveau à vous ?",
    yes: "Oui, me prévenir",
    no: "Non",
    sound: (isOn) => (isOn ? "Couper le son" : "Activer le son"),
    vibration: (isOn) => (isOn ? "Couper la vibration" : "Activer la vibration"),
    notifications: (isOn) => (isOn ? "Couper les notifications" : "Activer les notifications"),
    blocked:
      "Votre navigateur bloque les notifications de cette page : autorisez-les dans ses réglages pour ce site.",
  },

  score: {
    now: "points des navires",
    final: "points des navires et des marchandises, à la fin",
    winner: "victoire",
    ifEnded: "si la partie s’arrêtait maintenant",
    ships: "Navires",
    wares: "Marchandises",
    waresRule: "Marchandises, un point par lot de trois",
    pending: "Sections incomplètes :",
    total: "Total",
    islandersHome: (count) => counted(count, "insulaire en réserve", "insulaires en réserve"),
    find: (name) => `Montrer les insulaires sur le plateau : ${name}`,
  },

  ship: {
    heading: (count) => `Navire à ${points(count)}`,
    payable: "Vous avez ses marchandises. Vous pouvez le charger à la fin de votre tour.",
    payableNow: "Vous avez ses marchandises. Vous pouvez le charger maintenant.",
    lacking: (certain, chosen, any) =>
      `Il vous manque ${listed([
        ...wareParts(certain),
        ...(chosen > 0 ? [counted(chosen, "marchandise qui convient", "marchandises qui conviennent")] : []),
        ...(any > 0 ? [counted(any, "marchandise quelconque", "marchandises quelconques")] : []),
      ])}.`,
  },

  islander: {
    of: (name, kind) => `${capitalized(role(kind))} (${name})`,
    at: (kind, where) => `${capitalized(role(kind))} (${where}) :`,
    wouldBring: (value, unit, open) =>
      `rapporterait ${inUnit(value, unit)}${open ? ` ; ${missing(unit, open)}` : ""}`,
    outnumbered: "en minorité, ne rapporterait rien",
    broughtNothing: "n’a rien rapporté",
  },

  actionBar: {
    waiting: (count) =>
      plural(count, {
        one: "Il manque encore # joueur.",
        other: "Il manque encore # joueurs.",
      }),
    theirTurn: (name) => (name === COMPUTER ? "C’est à l’ordinateur de jouer" : `C’est à ${name} de jouer`),
    theyDo: {
      place_tile: "Cette tuile va être posée.",
      islander: "Un insulaire peut être placé.",
      take_ship: "Un navire va être choisi.",
      deliver: "Un navire peut être chargé.",
    },
    botThinks: "L’ordinateur réfléchit.",
    yourTurn: "À vous de jouer",
    turnOf: (name) => `${name}, à vous de jouer`,
    placeTile: "Touchez une case marquée pour cette tuile, ou faites-la glisser jusque-là.",
    placeTip:
      "Les côtés qui se touchent doivent correspondre : mer contre mer, pont contre pont, île contre île.",
    placeChosen: "Touchez encore la tuile pour la tourner. Puis posez-la.",
    misfit: "Elle ne va pas ici.",
    placeChosenOnly: "Ici, il n’y a rien à tourner.",
    rotate: "Tourner",
    place: "Poser",
    islander: "Placer un insulaire ? Touchez un endroit marqué.",
    islanderTip:
      "Il y reste et travaille jusqu’à ce que le pont, l’île ou la mer soit complet, puis il vous rapporte les marchandises.",
    islanderChosen: (kind) => ISLANDER_JOBS[kind] ?? "",
    retrieveChosen: (kind) => `Reprendre votre ${role(kind)} ? Vous pourrez le placer à nouveau.`,
    allOut:
      "Tous vos insulaires sont placés. Touchez-en un sur le plateau pour le reprendre en vue d’un autre tour, ou laissez-les.",
    noneFree:
      "Rien n’est libre sur cette tuile. Touchez l’un de vos insulaires sur le plateau pour le reprendre, ou laissez-les.",
    leaveThem: "Les laisser",
    leaveAlways: "Les laisser, et ne plus demander dans cette partie",
    askAgain: "Redemander s’il faut reprendre un insulaire",
    retrieveTip: "Vous pouvez aussi reprendre un de vos insulaires sur le plateau.",
    send: "Placer",
    takeHome: "Reprendre",
    noIslander: "Aucun insulaire",
    takeShip: "Votre marché est entouré ! Choisissez un navire, il est gratuit.",
    take: "Prendre ce navire",
    deliver: "Vous pouvez charger un navire. Choisissez-en un, ou gardez vos marchandises.",
    deliverTip: "Les navires donnent des points : livrez les marchandises demandées pour les obtenir.",
    deliverGo: "Livrer",
    keep: "Tout garder",
    undo: "Annuler",
    deadline: (time) => `encore ${time}`,
    deadlineOver: "Temps écoulé",
    paused: "en pause",
  },

  pay: {
    with: "Payer avec",
    only: "Vous payez",
    name: { bananas: "Bananes", shells: "Coquillages", fish: "Poissons" },
    less: {
      bananas: "Une banane de moins",
      shells: "Un coquillage de moins",
      fish: "Un poisson de moins",
    },
    more: {
      bananas: "Une banane de plus",
      shells: "Un coquillage de plus",
      fish: "Un poisson de plus",
    },
    /** Below an amount: how many there are of the ware. */
    of: (held) => `sur ${held}`,
    amount: (chosen, held) => `${chosen} sur vos ${held}`,
    progress: (chosen, needed) =>
      chosen < needed
        ? `${counted(chosen, "marchandise choisie", "marchandises choisies")} sur ${needed}, il en manque ${needed - chosen}.`
        : `${counted(needed, "marchandise choisie", "marchandises choisies")}, le compte est bon.`,
    takes: (cost) => `Le navire demande ${cost}.`,
    impossible: (cost) => `Cela ne convient pas : le navire demande ${cost}. Reprenez-en une partie.`,
  },

  result: {
    youWin: "Vous avez gagné !",
    wins: (name) => (name === COMPUTER ? "L’ordinateur gagne" : `${name} gagne`),
    share: (names) => `${names} se partagent la victoire`,
    reasons: {
      last_tile: "La dernière tuile est posée.",
      last_ship: "Le dernier navire est parti.",
      bag_exhausted: "Aucune des dernières tuiles n’a pu être posée.",
    },
    youResigned: "Vous avez abandonné.",
    resigned: (names) =>
      names.length === 1 ? `${listed(names)} a abandonné.` : `${listed(names)} ont abandonné.`,
    youWereLate: "Votre temps est écoulé, ce qui compte comme un abandon.",
    late: (names) => `Le temps est écoulé pour ${listed(names)}, ce qui compte comme un abandon.`,
    aborted: "Cette partie a été annulée.",
    rematch: "Rejouer",
    next: "Ouvrir la partie suivante",
    replay: "Revoir la partie",
    again: "Rejouer ?",
    againBy: "Une revanche a été créée. Ouvrez-la pour rejouer.",
    againToWatch: "Une revanche a été créée. Vous pouvez y assister.",
    newGame: "Nouvelle partie",
  },

  replay: {
    heading: "Revoir la partie",
    play: "Lecture",
    pause: "Pause",
    first: "Première étape",
    previous: "Étape précédente",
    following: "Étape suivante",
    last: "Dernière étape",
    slider: "Étape de la partie",
    leave: "Revenir à la partie",
  },

  say: {
    back: "Connexion rétablie.",
    lost: "Connexion perdue. Reconnexion en cours.",
  },

  describe: {
    beside,
    at,
    tileAt: (x, y) => (x === 0 && y === 0 ? "Tuile de départ" : `Tuile à ${at(x, y)}`),
    cell: (where, around, ways) =>
      `${where} : ${around} ; ${counted(ways, "orientation possible", "orientations possibles")}`,
    chosenCell: (where, turned) => `Case choisie : ${where}, tuile ${turned}. Entrée pose la tuile.`,
    turned: (rotation) => (rotation === 0 ? "non tournée" : `tournée de ${90 * rotation} degrés`),
    spot: capitalized,
    retrieve: (kind, where) => `Reprendre votre ${role(kind)}, ${where}`,
    tile: (features) => `Tuile : ${features.join(" ; ")}`,
    ship: (count, cost) => `Navire à ${points(count)} pour ${cost}`,
    cost: {
      any: (count) => counted(count, "marchandise au choix", "marchandises au choix"),
      same: (count, group) =>
        `${count} ${["d’un type", "d’un autre", "d’un troisième"][group] ?? "d’un type"}`,
    },
  },

  help: {
    heading: "Comment jouer",
    place: {
      heading: "Poser une tuile",
      words:
        "À votre tour, vous posez une tuile à côté des autres. Les côtés qui se touchent doivent correspondre : mer contre mer, pont contre pont, île contre île.",
      picture: "Trois tuiles en ligne. La dernière, encadrée, continue le pont de sa voisine.",
    },
    islander: {
      heading: "Placer un insulaire",
      words:
        "Vous pouvez ensuite placer un de vos quatre insulaires sur la nouvelle tuile, si personne n’y travaille déjà sur le même pont, la même île ou la même mer :",
    },
    retrieve: {
      heading: "Ou en reprendre un",
      words:
        "Vous pouvez aussi, à la place, reprendre un de vos insulaires sur le plateau, sans rien recevoir : quand les quatre sont placés, ou à chaque tour dans l’édition allemande.",
    },
    finished: {
      heading: "Une section complète rapporte",
      words:
        "Quand un pont, une île ou une mer est complet, la personne qui y a le plus d’insulaires reçoit toutes les marchandises ; en cas d’égalité, chacune les reçoit. Puis les insulaires reviennent.",
      picture: "Une tuile complète une île avec deux bananes. Rouge y a un insulaire et reçoit 2 bananes.",
    },
    boat: {
      heading: "Les bateaux de pêche",
      words:
        "Un bateau de pêche posé dans une mer où il y a des pêcheurs rapporte la pêche plus tôt. Il recouvre ensuite une partie des poissons, que plus personne ne reçoit.",
      picture:
        "Un bateau arrive dans la mer du pêcheur bleu, qui rapporte 3 poissons. Le bateau en recouvre deux.",
    },
    market: {
      heading: "Les marchés",
      words: "Un marchand dont le marché est entouré de huit tuiles prend gratuitement le meilleur navire.",
      picture: "Le marchand jaune dans un marché, entouré de huit tuiles.",
    },
    ships: {
      heading: "Livrer à un navire",
      words:
        "À la fin de votre tour, vous pouvez livrer des marchandises à l’un des quatre navires. Les navires donnent des points.",
    },
    end: {
      heading: "La fin",
      words:
        "Après la dernière tuile ou le dernier navire, les sections incomplètes rapportent aussi leurs marchandises. Trois marchandises restantes valent un point. Qui a le plus de points gagne.",
    },
    rules: "Toutes les règles (en anglais)",
    keys: "Touches",
    keyList: [
      ["Flèches", "parcourir le plateau, tuile par tuile"],
      ["Page préc., Page suiv.", "passer d’un choix à l’autre"],
      ["Entrée", "choisir, et encore une fois pour confirmer"],
      ["R", "tourner la tuile"],
      ["U", "annuler"],
      ["P", "passer : aucun insulaire, aucune livraison"],
      ["S", "dire ce qu’il y a à faire, et le temps qui reste"],
      ["+ − F", "agrandir, réduire, tout montrer"],
      ["Échap", "annuler un choix"],
      ["?", "cette aide"],
    ],
  },

  stock: ({ bananas, shells, fish }) =>
    [inUnit(bananas, "bananas"), inUnit(shells, "shells"), inUnit(fish, "fish")].join(", "),

  walk: {
    cells: "Tuiles et cases",
    cell: "case",
    help: "Les flèches parcourent le plateau, Page suivante mène au choix suivant, Entrée choisit, et encore une fois confirme. R tourne la tuile, U annule, P passe, S dit ce qu’il y a à faire. Plus et moins changent la taille, F montre tout.",
    tile: (tile, isNewest) => (isNewest ? `${tile}, la dernière posée.` : `${tile}.`),
    feature: ({ kind, sides, wares, hasBoat, open, here, elsewhere }) =>
      [
        [KINDS[kind] ?? kind, listed(sides.map((side) => EDGES[side]))].join(" ").trim(),
        ...(wares === null ? [] : [inUnit(wares, YIELDS[kind] ?? "")]),
        ...(hasBoat ? ["un bateau"] : []),
        ...(open === null ? [] : [lacking(kind, open)]),
        ...(here === null ? [] : [`${role(kind)} ici (${here})`]),
        ...elsewhere.map(
          ([name, number]) => `${counted(number, "insulaire", "insulaires")} ailleurs (${name})`,
        ),
      ].join(", "),
    around: (tiles, free) =>
      [
        ...(tiles.length > 0 ? [`Tuiles ${listed(tiles.map((side) => EDGES[side]))}.`] : []),
        ...(free.length > 0 ? [`Libre ${listed(free.map((side) => EDGES[side]))}.`] : []),
      ].join(" "),
    free: (where, around) => `Libre, ${where} : ${around}.`,
  },

  asked: {
    bar: "Ce qu’il y a à faire",
    place: (tile, cells) => `${tile}. Elle peut être posée à ${counted(cells, "endroit", "endroits")}.`,
    placeChosen: (where, turned, tile) =>
      `Case choisie : ${where}, tuile ${turned}. ${tile}. Entrée la pose, R la tourne.`,
    placeChosenOnly: (where, turned, tile) =>
      `Case choisie : ${where}, tuile ${turned}. ${tile}. Il n’y a rien à tourner. Entrée la pose.`,
    islander: (spots, retrievable) =>
      [
        ...(spots > 0
          ? [`Placer un insulaire ? ${counted(spots, "endroit est libre", "endroits sont libres")}.`]
          : []),
        ...(retrievable > 0
          ? [
              retrievable === 1
                ? "Vous pouvez reprendre un insulaire."
                : `Vous pouvez reprendre l’un de vos ${retrievable} insulaires.`,
            ]
          : []),
        "P passe.",
      ].join(" "),
    chosen: (what) => `Choisi. ${what} Entrée confirme.`,
    deliver: (ships) =>
      ships === 1
        ? "Vous pouvez charger un navire. P garde vos marchandises."
        : `Vous pouvez charger l’un des ${ships} navires. P garde vos marchandises.`,
    takeShip: (ships) => `Votre marché est entouré. Choisissez l’un des ${ships} navires, il est gratuit.`,
    pays: (paid) => `Vous payez ${paid}.`,
    turn: (name, what) => `${name}, à vous de jouer. ${what}`,
    yourTurn: (what) => `À vous de jouer. ${what}`,
    scores: (totals) => `Score final : ${listed(totals.map(([name, total]) => `${name} ${total}`))}.`,
    left: (time) => `Il reste ${lasting(time)}.`,
    hurry: (time) => `Plus que ${lasting(time)} !`,
    points: (count) => `${points(count)} des navires`,
    finalPoints: (count) => `${points(count)} des navires et des marchandises`,
    pointsIfEnded: (count, ended) =>
      `${points(count)} des navires, ${ended} si la partie s’arrêtait maintenant`,
  },

  course: {
    speed: "Vitesse",
    link: "Copier le lien vers cette étape",
    copied: "Lien copié",
    keys: "Espace lance et arrête la lecture, les flèches avancent et reculent d’une étape, Début et Fin mènent à la première et à la dernière.",
    said: (step, of, what) => `Étape ${step} sur ${of}. ${what}`,
  },

  proof: {
    open: "Vérifier cette partie",
    progress: (done, of) => `Vérification de l’étape ${done} sur ${of}…`,
    checked: (steps) =>
      `Votre navigateur a lu tout le journal de la partie auprès du service, et calculé les empreintes (SHA-256) de ses ${steps} étapes ainsi que l’ordre des tuiles et des navires à partir de la graine.`,
    checkedSoFar: (steps) =>
      `Votre navigateur a lu le journal de la partie auprès du service, et calculé les empreintes (SHA-256) des ${steps} étapes jusqu’ici ; la graine reste secrète jusqu’à la fin de la partie, et avec elle l’ordre des tuiles et des navires.`,
    right:
      "Tout est juste : aucune étape n’a été changée, ajoutée ni omise, chacune est celle que cette page a montrée, et les tuiles et les navires sont venus dans l’ordre fixé avant le premier coup.",
    rightSoFar:
      "Tout est juste : aucune étape n’a été changée, ajoutée ni omise, et chacune est celle que cette page a montrée.",
    wrong: {
      order: (step) => `L’étape ${step} est fausse : elle manque, ou une autre est à sa place.`,
      digest: (step) =>
        `L’étape ${step} est fausse : son empreinte ne correspond ni à ce qu’elle dit ni aux étapes précédentes ; l’une d’elles a donc été changée.`,
      shown: (step) => `L’étape ${step} est fausse : ce n’est pas celle que cette page a montrée.`,
      patch: (step) => `L’étape ${step} est fausse : elle ne peut pas suivre la partie telle qu’elle était.`,
      commitment: (step) =>
        `L’étape ${step} est fausse : la graine révélée ne correspond pas à l’engagement pris à cette étape.`,
      tiles: (step) => `L’étape ${step} est fausse : la graine y donne une autre tuile.`,
      ships: (step) => `L’étape ${step} est fausse : la graine y donne un autre navire.`,
    },
    limits:
      "Ce contrôle ne montre pas si les coups suivaient les règles, qui les a joués, si quelqu’un connaissait l’ordre à l’avance, ni si le service a inventé tout le journal.",
    limitsChosen:
      "La personne qui a créé cette partie a choisi la graine et pouvait connaître l’ordre ; et ce contrôle ne montre pas si les coups suivaient les règles, qui les a joués, ni si le service a inventé tout le journal.",
    impossible: "Les navigateurs ne calculent des empreintes que sur les pages ouvertes par https.",
  },

  lesson: {
    learn: "Apprendre en jouant",
    learnHint: "Une première partie en deux minutes, un conseil à la fois.",
    label: "Leçon",
    skip: "Passer la leçon",
    playOn: "Continuer",
    shining: (choice) => `${choice}. C’est ce qui brille.`,
    theirs: "C’est maintenant à l’ordinateur de jouer.",
    place:
      "Un tour commence par une tuile. Ses côtés doivent correspondre à ceux qu’ils touchent : mer contre mer, pont contre pont, île contre île. Choisissez la case qui brille.",
    turn: (times, button) =>
      times === 1
        ? `Elle va ici de plusieurs façons. Appuyez une fois sur « ${button} ».`
        : `Elle va ici de plusieurs façons. Appuyez ${times} fois sur « ${button} ».`,
    confirm: (button) => `Elle va bien ici. Appuyez sur « ${button} ».`,
    now: "Posez maintenant cette tuile.",
    letters: (cost) =>
      `Le navire qui brille demande ${cost} : chaque lettre est un type de votre choix, une autre lettre un autre.`,
    home: (button) =>
      `Tous vos insulaires sont placés. Vous pourriez en toucher un sur le plateau et le reprendre pour un autre tour, sans ses marchandises. Ou laissez-les : appuyez sur « ${button} ».`,
    again: "Posez aussi cette tuile sur la case qui brille.",
    finishes: {
      bridge: (gain) => `Sur la case qui brille, cette tuile complète votre pont, et vous recevez ${gain}.`,
      island: (gain) => `Sur la case qui brille, cette tuile complète votre île, et vous recevez ${gain}.`,
      sea: (gain) => `Sur la case qui brille, cette tuile ferme votre mer, et vous recevez ${gain}.`,
      boat: (gain) => `Sur la case qui brille, ce bateau rejoint votre pêcheur, et vous recevez ${gain}.`,
    },
    first: "Vous pouvez maintenant placer un de vos quatre insulaires sur cette tuile.",
    works: {
      bridge:
        "Un collecteur à l’endroit qui brille rapporte tous les coquillages du pont dès que celui-ci n’a plus de bout ouvert.",
      island:
        "Un cueilleur à l’endroit qui brille rapporte toutes les bananes de l’île dès qu’elle n’a plus de côté ouvert.",
      sea: "Un pêcheur à l’endroit qui brille rapporte tous les poissons de la mer dès qu’elle est fermée ou qu’un bateau arrive.",
      market:
        "Un marchand à l’endroit qui brille rapporte gratuitement le meilleur navire dès que huit tuiles entourent le marché.",
    },
    another: "Un autre insulaire peut travailler à l’endroit qui brille.",
    send: (button) => `Appuyez sur « ${button} ». Il y reste jusqu’à la fin de son travail.`,
    already: "C’est déjà le cas ici.",
    sendOnce: (button) => `Appuyez sur « ${button} ». Il rapporte ce qui est là et revient aussitôt.`,
    keep: (button) =>
      `Rien ne vous oblige à placer quelqu’un. Gardez vos insulaires pour un meilleur endroit : appuyez sur « ${button} ».`,
    leave: (button) =>
      `Laissez vos insulaires en place : chacun revient quand son travail est fini. Appuyez sur « ${button} ».`,
    finished: {
      bridge: (gain) =>
        `Votre pont n’a plus de bout ouvert : vous avez reçu ${gain}, et votre collecteur est rentré.`,
      island: (gain) =>
        `Votre île n’a plus de côté ouvert : vous avez reçu ${gain}, et votre cueilleur est rentré.`,
      sea: (gain) => `Votre mer est fermée : vous avez reçu ${gain}, et votre pêcheur est rentré.`,
      boat: (gain) =>
        `Un bateau est arrivé dans votre mer : vous avez reçu ${gain}, votre pêcheur est rentré, et le bateau a emporté des poissons pour de bon.`,
    },
    computer: (said) => `${said} Là où il a un insulaire, vous ne pouvez pas en placer.`,
    ships: (points, cost) =>
      `Les navires valent des points et se paient en marchandises. Celui qui brille vaut ${points} et demande ${cost}.`,
    deliver: (points) => `Vous pouvez livrer à un navire ! Choisissez celui qui brille : il vaut ${points}.`,
    pay: (example) => `Choisissez ce que vous payez, par exemple ${example}.`,
    load: (button) => `Vous payez avec les marchandises indiquées. Appuyez sur « ${button} ».`,
    over: (points) =>
      `Vous avez ${points} ! La partie finit avec la dernière tuile ou le dernier navire. Trois marchandises restantes valent alors un point, et qui a le plus de points gagne. C’est tout !`,
    overWithout:
      "Réunissez des marchandises pour des navires : ce sont vos points. La partie finit avec la dernière tuile ou le dernier navire. Trois marchandises restantes valent alors un point, et qui a le plus de points gagne. C’est tout !",
  },

  share: {
    code: "Code QR",
    of: (isWaiting) => (isWaiting ? "Inviter des joueurs" : "Lien pour regarder cette partie"),
    ofHint: (isWaiting) =>
      isWaiting
        ? "Qui scanne ce code ou ouvre le lien peut se joindre à la partie."
        : "Qui scanne ce code ou ouvre le lien peut regarder.",
    elsewhere: "Continuer sur un autre appareil",
    elsewhereHint:
      "Scannez ce code avec votre téléphone, ou ouvrez le lien sur l’autre appareil. Toute personne qui a ce lien joue à votre place.",
  },

  news: {
    since: (count) => `Depuis votre dernier tour : ${counted(count, "événement", "événements")}`,
    last: (count) => `Au dernier tour : ${counted(count, "événement", "événements")}`,
    show: "Montrer sur le plateau",
    gained: (name, gained, points) => `${name} a reçu ${amounts(gained, points)}.`,
  },

  recap: {
    heading: "Entre-temps",
    skip: "Passer",
  },

  short: {
    tile: "tuile",
    role,
    timedOut: "temps écoulé",
    latePlaced: "Temps écoulé : tuile posée",
    late: "Votre temps est écoulé",
    undone: "repris",
    nothing: (features) => `${counted(features, "zone", "zones")} : rien`,
  },

  worth: {
    nothing: "La tuile seule ne vous rapporte rien.",
    features: "Sur cette tuile",
    details: "Détails",
    get: "Vous recevrez",
    getNothing: "Vous ne recevrez rien.",
    soFar: "Jusqu’ici",
    open: lacking,
    giveUp: "Vous renoncez à",
    giveUpShip: "Vous renoncez au navire du marché.",
    giveUpNothing: "Vous ne renoncez à rien.",
  },
};

/** With the narrow spaces that French sets before these signs, at which no line breaks. */
export const fr: Messages = typeset(french, (text) => text.replace(/ (?=[:;!?»])|(?<=«) /g, "\u202f"));
