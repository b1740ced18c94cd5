/** The screen that the address names. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Lobby } from "./lobby/lobby.tsx";
import { type Route, fragmentOf, routeOf } from "./model/route.ts";
import { TableScreen } from "./parts/table_screen.tsx";

export function App(): JSX.Element {
  const [route, setRoute] = useState<Route>(routeOf(location.hash));

  useEffect(() => {
    const moved = (): void => setRoute((before) => followed(before, routeOf(location.hash)));
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);

  useEffect(() => {
    // A token that came with a link is kept by the table; the address bar need not show it.
    if (route.screen === "table" && route.token !== null)
      history.replaceState(null, "", fragmentOf(route.id));
  }, [route]);

  return route.screen === "table" ? (
    <TableScreen key={route.id} id={route.id} token={route.token} />
  ) : (
    <Lobby />
  );
}

/** The new route; the same table again changes nothing unless it brings a token. */
function followed(before: Route, after: Route): Route {
  const same = before.screen === "table" && after.screen === "table" && before.id === after.id;
  return same && after.token === null ? before : after;
}
