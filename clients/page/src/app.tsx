/** The screen that the address names. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Lobby } from "./lobby/lobby.tsx";
import { language, text } from "./messages/index.ts";
import { keepInTab } from "./model/browser_storage.ts";
import { useObservable } from "./model/observable.ts";
import { type Route, followLink, pathOf, routeOf } from "./model/route.ts";
import { Announcements } from "./parts/announcements.tsx";
import { showLanguage } from "./parts/document_language.ts";
import { GameScreen } from "./parts/game_screen.tsx";
import { useKeptFocus } from "./parts/kept_focus.ts";
import { watchTurns } from "./session/attention.ts";

export function App(): JSX.Element {
  const [route, setRoute] = useState<Route>(routeOf(location));
  useObservable(language);
  useLayoutEffect(showLanguage, [text.language]);

  // At once: an effect runs after the next frame, and would miss an address that changes before it.
  useLayoutEffect(() => {
    const moved = (): void => {
      keepInTab();
      setRoute((before) => followed(before, routeOf(location)));
    };
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);

  useEffect(() => watchTurns(), []);
  useKeptFocus();

  useEffect(() => {
    // What came with a link is used once: the session stores the tokens, and a replay goes on from its step.
    if (route.screen === "game" && (route.tokens !== null || route.step !== null))
      history.replaceState(history.state, "", pathOf(route.id));
  }, [route]);

  return (
    <div class="screen" onClick={followLink}>
      {route.screen === "game" ? <GameScreen key={route.id} {...route} /> : <Lobby />}
      <Announcements />
    </div>
  );
}

/** The new route; the same game again changes nothing unless it brings tokens or a step. */
function followed(before: Route, after: Route): Route {
  const same = before.screen === "game" && after.screen === "game" && before.id === after.id;
  return same && after.tokens === null && after.step === null ? before : after;
}
