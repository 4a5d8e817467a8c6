import { Unavailable } from "../core/errors";
import { type DomainLists, readLists } from "../core/verification/lists";

const retryAfterSeconds = 5;

/**
 * Opens the lists of disposable and personal domains. They are asset files outside the bundle: as code they would be a
 * seventh of every upload, every start would compile them, and most isolates never need them. An isolate caches the
 * lists after their first use. Throws Unavailable when the platform does not serve them.
 */
export function openDomainLists(assets: Fetcher): () => Promise<DomainLists> {
  let lists: DomainLists | undefined;
  return async () => {
    lists ??= readLists(await load(assets, "disposable-domains"), await load(assets, "mailbox-providers"));
    return lists;
  };
}

async function load(assets: Fetcher, name: string): Promise<string[]> {
  const found = await assets.fetch(`https://assets.local/${name}.json`);
  if (!found.ok) {
    const suggestion = "Try again. If this persists, deploy again after `npm ci`.";
    throw new Unavailable("The lists of domains could not be read.", { retryAfterSeconds, suggestion });
  }
  // Each file is a JSON array of names, unchanged from its package.
  return found.json<string[]>();
}
