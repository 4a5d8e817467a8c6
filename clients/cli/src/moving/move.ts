import type { Petrel } from "petrel-client";
import colours from "picocolors";
import { UsageError } from "../command";
import { say } from "../screen";
import { findKnown } from "./calls";
import { Journal } from "./journal";
import { planImport } from "./plan";
import { type Reading, readAccount, sources } from "./read";
import { recount } from "./recount";
import { runImport } from "./run";
import { showPlan, showRecount } from "./show";

export interface Move extends Reading {
  /** A key of `sources`. */
  from: string;
  isDryRun: boolean;
  sender: string | undefined;
}

/** Imports an account of another service. Returns the exit code. Throws Refusal or UsageError. */
export async function move(openPetrel: () => Petrel, { from, isDryRun, sender, ...reading }: Move): Promise<number> {
  const source = Object.hasOwn(sources, from) ? sources[from]?.() : undefined;
  if (!source) throw new UsageError(`--from is one of ${Object.keys(sources).join(", ")}`);
  const petrel = openPetrel();
  const account = await readAccount(source, reading);
  const plan = await planImport(petrel, account, source.language);
  say(`${colours.bold(source.name)} has\n`);
  showPlan(account, plan);
  if (isDryRun) {
    say("\nNothing was changed");
    return 0;
  }
  const { project } = await petrel.me.get();
  const journal = new Journal(from, project.id, account);
  if (journal.isResumed) say("\nAn import of this account was begun before, and continues");
  const known = journal.before ?? [...(await findBefore(petrel, [...account.people.keys()]))];
  journal.keepBefore(known);
  const outcome = await runImport({ petrel, account, plan, journal, sender, known: new Set(known) });
  say(`\n${colours.bold("Counted again")}\n`);
  const isSame = showRecount(account, await recount(petrel, account), outcome);
  journal.end();
  if (isSame) say(`\n${colours.green("✓")} All of it is here`);
  return isSame ? 0 : 1;
}

/** Finds which addresses are contacts already. Looks up no address if the project has no contacts. */
async function findBefore(petrel: Petrel, emails: string[]): Promise<Set<string>> {
  const { total } = await petrel.contacts.list({ limit: 1 });
  return total === 0 ? new Set() : findKnown(petrel, emails);
}
