/** The screen that the address names. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Lobby } from "./lobby/lobby.tsx";
import { type Route, followLink, pathOf, routeOf } from "./model/route.ts";
import { GameScreen } from "./parts/game_screen.tsx";
import { watchTurns } from "./session/attention.ts";

export function App(): JSX.Element {
  const [route, setRoute] = useState<Route>(routeOf(location));

  // At once: an effect runs after the next frame, and would miss an address that changes before it.
  useLayoutEffect(() => {
    const moved = (): void => setRoute((before) => followed(before, routeOf(location)));
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);

  useEffect(() => watchTurns(), []);

  useEffect(() => {
    // The session stores tokens that came with a link; the address bar need not show them.
    if (route.screen === "game" && route.tokens !== null) history.replaceState(null, "", pathOf(route.id));
  }, [route]);

  return (
    <div class="screen" onClick={followLink}>
      {route.screen === "game" ? (
        <GameScreen key={route.id} id={route.id} tokens={route.tokens} />
      ) : (
        <Lobby />
      )}
    </div>
  );
}

/** The new route; the same game again changes nothing unless it brings tokens. */
function followed(before: Route, after: Route): Route {
  const same = before.screen === "game" && after.screen === "game" && before.id === after.id;
  return same && after.tokens === null ? before : after;
}
