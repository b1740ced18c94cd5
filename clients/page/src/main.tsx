/** The page. */

import { render } from "preact";
import { App } from "./app.tsx";
import { text } from "./messages/index.ts";
import { showTheme } from "./model/theme.ts";
import { startWorker } from "./session/start_worker.ts";

document.documentElement.lang = text.language;
showTheme();
render(<App />, document.body);
startWorker();
