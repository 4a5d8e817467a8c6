import type { Petrel } from "petrel-client";
import type { Account } from "./account";
import { eachContact } from "./calls";

/** What became of an account, as the service has it afterwards. */
export interface Recount {
  subscribed: number;
  /** Not subscribed, as the other service says. */
  away: number;
  /** Subscribed there, and not here: they had left here before, which stays so. */
  stayAway: number;
  missing: string[];
  /** Subscribed here although the other service would not mail them. */
  wrong: string[];
  suppressed: number;
}

/** Asks the service for every person of the account, and how long its list of suppressed addresses is. */
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
  const { total } = await petrel.suppressions.list({ limit: 1 });
  return { ...found, missing: [...missing], suppressed: total };
}
