import type { Section } from "../core/documents/find-sections";
import { Unavailable } from "../core/errors";

const retryAfterSeconds = 5;

/**
 * Opens the sections of the documents. They are in an asset file outside the bundle, which `npm install` and `npm
 * start` make from `docs`. An isolate caches the sections after their first use. Throws Unavailable when the platform
 * does not serve the file.
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
  const suggestion = "Try again. If this persists, deploy again after `npm ci`.";
  throw new Unavailable("The documents could not be read.", { retryAfterSeconds, suggestion });
}
