/** The screen that the address names. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Lobby } from "./lobby/lobby.tsx";
import { language, text } from "./messages/index.ts";
import { useObservable } from "./model/observable.ts";
import { type Route, fragmentOf, routeOf } from "./model/route.ts";
import { showLanguage } from "./parts/document_language.ts";
import { GameScreen } from "./parts/game_screen.tsx";
import { watchTurns } from "./session/attention.ts";

export function App(): JSX.Element {
  const [route, setRoute] = useState<Route>(routeOf(location.hash));
  useObservable(language);
  useLayoutEffect(showLanguage, [text.language]);

  // At once: an effect runs after the next frame, and would miss an address that changes before it.
  useLayoutEffect(() => {
    const moved = (): void => setRoute((before) => followed(before, routeOf(location.hash)));
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);

  useEffect(() => watchTurns(), []);

  useEffect(() => {
    // The session stores a token that came with a link; the address bar need not show it.
    if (route.screen === "game" && route.token !== null) history.replaceState(null, "", fragmentOf(route.id));
  }, [route]);

  return (
    <div class="screen">
      {route.screen === "game" ? <GameScreen key={route.id} id={route.id} token={route.token} /> : <Lobby />}
    </div>
  );
}

/** The new route; the same game again changes nothing unless it brings a token. */
function followed(before: Route, after: Route): Route {
  const same = before.screen === "game" && after.screen === "game" && before.id === after.id;
  return same && after.token === null ? before : after;
}
