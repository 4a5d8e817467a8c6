import { projectRoutes } from "../../http/routes";
import { SearchQuery, SearchResults } from "./schema";
import { search } from "./search";

export const searching = projectRoutes("Project");

searching.get(
  "/search",
  {
    id: "search",
    summary: "Find anything by its id, its address or the beginning of its name",
    description:
      "Finds contacts by address, emails by id, and templates, campaigns, segments, workflows, topics, " +
      "sender domains and webhooks by the beginning of their name or URL. Everything is also found by its " +
      "id. At most 20 results: exact matches come first, then the types take turns.",
    query: SearchQuery,
    ok: SearchResults,
  },
  (ctx, { query }) => search(ctx, query.q),
);
