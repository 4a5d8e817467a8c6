import { openQueries } from "./api/queries";
import { sessionQuery } from "./api/session";
import { loadChunkAt, loadSignIn } from "./chunks";
import { readHomeEarly } from "./routes/home/reads";
import { lastProject } from "./shell/last-project";
import { withPageWords } from "./words/shown";

// The first bytes ask for all that the first page needs, so that it travels beside the large scripts, and not after them.

export const queries = openQueries();
export const session = queries.prefetchQuery(sessionQuery(queries));

const [, project, path = ""] = /^\/console(?:\/p\/([^/]+))?\/?(.*?)\/?$/.exec(location.pathname) ?? [];
loadChunkAt(path);
// The address of the console itself leads to the project that was open last.
const home = path === "" ? (project ?? lastProject()) : null;
if (home !== null) readHomeEarly(queries, home);
// A browser that enters at the console itself, and has seen no project, has nobody who is signed in, as a rule. The page loads
// it again, and shows why that fails.
if (path === "" && home === null) withPageWords(loadSignIn)().catch(() => undefined);
