import type { Section } from "../core/documents/find-sections";
import { Unavailable } from "../core/errors";

const retryAfterSeconds = 5;

/**
 * Opens the sections of the documents. They are an asset file outside the bundle that `npm install` and `npm start`
 * make of `docs`. An isolate caches them after their first use. Throws Unavailable when the platform does not serve them.
 */
export function openDocuments(assets: Fetcher): () => Promise<Section[]> {
  let sections: Section[] | undefined;
  return async () => {
    sections ??= await load(assets);
    return sections;
  };
}

async function load(assets: Fetcher): Promise<Section[]> {
  const found = await assets.fetch("https://assets.local/docs-index.json");
  if (found.ok) return found.json<Section[]>();
  const suggestion = "Try again. If this stays, deploy again after `npm ci`.";
  throw new Unavailable("The documents could not be read.", { retryAfterSeconds, suggestion });
}
