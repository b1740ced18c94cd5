/** The computer's players: those that come with the service, from weak to strong, and those that were added to it. */

import { useEffect, useState } from "preact/hooks";
import { reasonOf, service } from "../service.ts";

const BUILT_IN = ["random", "greedy", "expert"];

/** The names of all bots; `onProblem` is told why they cannot be read, and then it is those that everybody has. */
export function useBots(onProblem: (problem: string) => void): readonly string[] {
  const [bots, setBots] = useState<readonly string[]>(BUILT_IN);
  useEffect(() => {
    service.bots().then(
      ({ bots: listed }) => {
        const names = listed.map(({ name }) => name);
        const others = names.filter((name) => !BUILT_IN.includes(name));
        setBots([...BUILT_IN.filter((name) => names.includes(name)), ...others]);
      },
      (error: unknown) => onProblem(reasonOf(error)),
    );
  }, []);
  return bots;
}
