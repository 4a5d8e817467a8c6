import { openQueries } from "./api/queries";
import { sessionQuery } from "./api/session";
import { loadChunkAt, loadSignIn } from "./chunks";
import { readHomeEarly } from "./routes/home/reads";
import { lastProject } from "./shell/last-project";
import { withPageWords } from "./words/shown";

// The first bytes request all data of the first page, so that it is loaded in parallel with the large scripts, and not
// after them.

export const queries = openQueries();
export const session = queries.prefetchQuery(sessionQuery(queries));

const [, project, path = ""] = /^\/console(?:\/p\/([^/]+))?\/?(.*?)\/?$/.exec(location.pathname) ?? [];
loadChunkAt(path);
// The address of the console itself leads to the project that was open last.
const home = path === "" ? (project ?? lastProject()) : null;
if (home !== null) readHomeEarly(queries, home);
// A browser that opens the console itself and has seen no project usually has no signed-in person. The page loads this
// part again, and shows a failure then.
if (path === "" && home === null) withPageWords(loadSignIn)().catch(() => undefined);
