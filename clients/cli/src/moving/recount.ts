import type { Petrel } from "petrel-client";
import type { Account } from "./account";
import { eachContact, pagesOf, patiently, suppressionsPerCall } from "./calls";

/** The counts of an account after the import, as our service has them. */
export interface Recount {
  subscribed: number;
  /** Not subscribed, as the other service says. */
  away: number;
  /** Subscribed there, and not here: they had left here before, which stays so. */
  stayAway: number;
  missing: string[];
  /** Subscribed here although the other service would not mail them. */
  wrong: string[];
  /** How many of the account's suppressed addresses were so when they were asked for. */
  suppressed: number;
}

/** Asks the service for every person and every suppressed address of the account. */
export async function recount(petrel: Petrel, account: Account): Promise<Recount> {
  const found: Recount = { subscribed: 0, away: 0, stayAway: 0, missing: [], wrong: [], suppressed: 0 };
  const missing = new Set(account.people.keys());
  await eachContact(petrel, [...account.people.keys()], ({ email, subscribed }) => {
    missing.delete(email);
    const isSubscribedThere = account.people.get(email)?.state === "subscribed";
    if (subscribed && !isSubscribedThere) found.wrong.push(email);
    else if (subscribed) found.subscribed++;
    else if (isSubscribedThere) found.stayAway++;
    else found.away++;
  });
  // Adding an address that is there changes nothing, and says that it is there.
  for (const suppressions of pagesOf([...account.suppressed.values()], suppressionsPerCall)) {
    const { existing } = await patiently(() => petrel.suppressions.addMany({ suppressions }));
    found.suppressed += existing;
  }
  return { ...found, missing: [...missing] };
}
