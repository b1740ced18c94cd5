/** Follows a game over a WebSocket with the models that @asyncapi/modelina makes: `socket.mjs URL GAME`. */

import type { Diff } from "./models/Diff.js";
import type { Snapshot } from "./models/Snapshot.js";
import type { Subscribe } from "./models/Subscribe.js";
import type { Subscribed } from "./models/Subscribed.js";
import type { Welcome } from "./models/Welcome.js";

const [, , url, game] = process.argv as [string, string, string, string];
const socket = new WebSocket(`${url.replace("http", "ws")}/v1/ws`);
const report = { welcomes: 0, subscribed: 0, versions: [] as number[], events: 0 };

socket.onmessage = ({ data }) => {
  const message = JSON.parse(data) as Welcome | Subscribed | Snapshot | Diff;
  switch (message.type) {
    case "welcome": {
      report.welcomes += 1;
      const subscribe: Subscribe = { type: "subscribe", game, since: 1 };
      socket.send(JSON.stringify(subscribe));
      break;
    }
    case "subscribed":
      report.subscribed += 1;
      break;
    case "snapshot":
      throw new Error(`the log of ${message.game.id} does not reach back to its start`);
    case "diff":
      report.versions.push(message.version);
      report.events += message.events.length;
      if (message.events.some((event) => event.type === "game_finished")) socket.close();
      break;
  }
};
socket.onclose = () => console.log(JSON.stringify(report));
