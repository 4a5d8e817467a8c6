import { openQueries } from "./api/queries";
import { sessionQuery } from "./api/session";
import { loadChunkAt } from "./chunks";
import { readHomeEarly } from "./routes/home/reads";
import { lastProject } from "./shell/last-project";
import { loadWords, localeOf } from "./words/languages";

// The first bytes ask for all that the first page needs, so that it travels beside the large scripts, and not after them.

export const queries = openQueries();
export const session = queries.prefetchQuery(sessionQuery(queries));
export const locale = localeOf(navigator.languages);
export const words = loadWords(locale);

const [, project, path = ""] = /^\/console(?:\/p\/([^/]+))?\/?(.*?)\/?$/.exec(location.pathname) ?? [];
loadChunkAt(path);
// The address of the console itself leads to the project that was open last.
const home = path === "" ? (project ?? lastProject()) : null;
if (home !== null) readHomeEarly(queries, home);
