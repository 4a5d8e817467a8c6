import type { Petrel } from "petrel-client";
import type { Account } from "./account";
import { eachContact, pagesOf, patiently, suppressionsPerCall } from "./calls";

/** The counts of an account after the import, according to our service. */
export interface Recount {
  subscribed: number;
  /** People who are not subscribed at the other service. */
  away: number;
  /** People who are subscribed there and not here, because they had left here before. They stay unsubscribed. */
  stayAway: number;
  missing: string[];
  /** People who are subscribed here although the other service would not mail them. */
  wrong: string[];
  /** How many of the account's suppressed addresses are suppressed here. */
  suppressed: number;
}

/** Reads the state of every person and every suppressed address of the account. */
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
  // Adding an existing address changes nothing, and the answer counts it as existing.
  for (const suppressions of pagesOf([...account.suppressed.values()], suppressionsPerCall)) {
    const { existing } = await patiently(() => petrel.suppressions.addMany({ suppressions }));
    found.suppressed += existing;
  }
  return { ...found, missing: [...missing] };
}
