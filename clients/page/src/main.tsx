/** The page, once the reader's words are there. */

import { render } from "preact";
import { App } from "./app.tsx";
import { language } from "./messages/index.ts";
import { watchBack } from "./model/back.ts";
import { restoreTab } from "./model/browser_storage.ts";
import { showTheme } from "./model/theme.ts";
import { startWorker } from "./session/start_worker.ts";

restoreTab();
watchBack();
showTheme();
await language.load();
render(<App />, document.body);
startWorker();
