import { Unavailable } from "../core/errors";
import { type DomainLists, readLists } from "../core/verification/lists";

const retryAfterSeconds = 5;

/**
 * Loads the lists of disposable and personal domains. They are files beside the bundle, because most isolates never need
 * them: a seventh of what a deploy would upload as code, and every start would compile it. An isolate keeps them from
 * their first use on. Throws Unavailable when the platform does not hand them out.
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
    const suggestion = "Try again. If this stays, deploy again after `npm ci`.";
    throw new Unavailable("The lists of domains could not be read.", { retryAfterSeconds, suggestion });
  }
  // Each is a JSON array of names, as its package has it.
  return found.json<string[]>();
}
