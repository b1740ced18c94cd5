/** The page: its parts and the reader's words are loaded side by side. */

import { render } from "preact";
import { language } from "./messages/index.ts";
import { showTheme } from "./model/theme.ts";
import { startWorker } from "./session/start_worker.ts";

showTheme();
const [{ App }] = await Promise.all([import("./app.tsx"), language.load()]);
render(<App />, document.body);
startWorker();
