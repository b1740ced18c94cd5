/** Tests read the page in English; those of other languages choose them. */

import { en } from "../messages/en.ts";
import { language } from "../messages/index.ts";

language.use(en);
