import { type Petrel, PetrelError } from "petrel-client";
import { Refusal } from "../command";
import { progress } from "../screen";
import type { Account, Person } from "./account";
import { eachContact, forEachOf, pagesOf, patiently, suppressionsPerCall } from "./calls";
import { type Columns, contactFiles, nestedIn } from "./contact-files";
import type { Journal } from "./journal";
import type { Plan } from "./plan";

/** Rows and templates that the service refused, with the reasons. */
export interface Outcome {
  skipped: { email: string; reason: string }[];
  templates: number;
  refusedTemplates: { name: string; reason: string }[];
}

export interface Import {
  petrel: Petrel;
  /** The addresses that were contacts before this import. Their choices here stay. */
  known: ReadonlySet<string>;
  account: Account;
  plan: Plan;
  journal: Journal;
  /** The sender of templates without one. */
  sender: string | undefined;
}

/**
 * Imports an account: opt-outs first, so that nobody gets mail whom the other service would not have mailed. Every step
 * may be repeated.
 */
export async function runImport(moving: Import): Promise<Outcome> {
  const { account, plan, known } = moving;
  const outcome: Outcome = { skipped: [], templates: 0, refusedTemplates: [] };
  const people = [...account.people.values()];
  const away = people.filter(({ state }) => state !== "subscribed");
  const here = people.filter(({ state }) => state === "subscribed");
  await suppressAll(moving);
  await sendAll(moving, outcome, away, { name: "opt-outs", says: { subscription: true, times: true, data: true } });
  await createTopics(moving);
  const topicsOf = (person: Person) => (known.has(person.email) ? undefined : topicCell(person, plan.slugs));
  const choosing = away.filter(({ topics }) => topics !== undefined);
  await sendAll(moving, outcome, choosing, { name: "topics", says: { topicsOf, ...nothing } });
  await sendAll(moving, outcome, here, {
    name: "contacts",
    says: { topicsOf, subscription: false, times: true, data: true },
  });
  await sendNested(moving.petrel, people);
  await createTemplates(moving, outcome);
  return outcome;
}

const nothing = { subscription: false, times: false, data: false };

async function suppressAll({ petrel, account, journal }: Import): Promise<void> {
  const shown = progress("suppressed addresses");
  const left = [...account.suppressed.values()].slice(journal.suppressed);
  for (const suppressions of pagesOf(left, suppressionsPerCall)) {
    await patiently(() => petrel.suppressions.addMany({ suppressions }));
    journal.suppressed += suppressions.length;
    shown.at(journal.suppressed / account.suppressed.size);
  }
  shown.end();
}

async function createTopics({ petrel, plan }: Import): Promise<void> {
  for (const { name, description, defaultSubscribed } of plan.newTopics) {
    const body = { name, defaultSubscribed, description: description?.slice(0, 500) || null };
    const { slug } = await petrel.topics.create(body);
    plan.slugs.set(name, slug);
  }
}

interface Part {
  name: string;
  says: Columns;
}

/** Sends people in files, one after another. If an earlier run has sent a file, only waits for its import. */
async function sendAll(moving: Import, outcome: Outcome, people: Person[], { name, says }: Part): Promise<void> {
  const { petrel, journal, plan, known } = moving;
  const shown = progress(name);
  let done = 0;
  for (const file of contactFiles(people, says)) {
    const key = `${name} from ${done}`;
    const sent = journal.sent(key) ?? {
      jobId: await upload(petrel, file.csv, says.subscription),
      isDone: false,
    };
    journal.send(key, sent);
    if (!sent.isDone) {
      outcome.skipped.push(...(await awaitImport(petrel, sent.jobId)));
      const old = file.people.filter(({ email }) => known.has(email));
      if (says.topicsOf) await leaveTopics(petrel, old, plan.slugs);
      journal.send(key, { ...sent, isDone: true });
    }
    done += file.people.length;
    shown.at(done / people.length);
  }
  shown.end();
}

const pollMs = 250;

/** Returns the rows that the service skipped. Throws Refusal when the service refused the file. */
async function awaitImport(petrel: Petrel, jobId: string): Promise<Outcome["skipped"]> {
  for (;;) {
    const { status, errors, reason } = await patiently(() => petrel.contacts.getImport(jobId));
    if (status === "completed") return errors;
    if (status === "failed")
      throw new Refusal(`The import ${jobId} failed: ${reason ?? "the service does not say why"}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** An upload whose answer was lost may be repeated: the second one changes nothing. */
async function upload(petrel: Petrel, file: string, takesSubscribed: boolean): Promise<string> {
  const options = takesSubscribed ? { subscribed: "column" as const } : {};
  const { jobId } = await patiently(() => petrel.contacts.import({ file, columns: "all", ...options }));
  return jobId;
}

/** Makes an existing contact leave the topics that the person has left elsewhere. The contact joins none. */
async function leaveTopics(petrel: Petrel, people: Person[], slugs: ReadonlyMap<string, string>): Promise<void> {
  const byEmail = new Map(people.map((person) => [person.email, person]));
  const leaving: { id: string; topics: Record<string, boolean> }[] = [];
  await eachContact(petrel, [...byEmail.keys()], ({ id, email }) => {
    const topics = byEmail.get(email)?.topics;
    if (topics === undefined) return;
    const left = [...slugs].filter(([name]) => !topics.includes(name)).map(([, slug]) => [slug, false]);
    if (left.length > 0) leaving.push({ id, topics: Object.fromEntries(left) });
  });
  await forEachOf(leaving, ({ id, topics }) => petrel.contacts.chooseTopics(id, { topics }));
}

/** A single bar means that the person is in no topic. */
function topicCell({ topics }: Person, slugs: ReadonlyMap<string, string>): string | undefined {
  if (topics === undefined) return undefined;
  return topics.flatMap((name) => slugs.get(name) ?? []).join("|") || "|";
}

/** Sends lists and objects, which fit into no cell of a file. */
async function sendNested(petrel: Petrel, people: Person[]): Promise<void> {
  const nested = new Map(
    people.flatMap((person) => {
      const data = nestedIn(person);
      return data ? [[person.email, data]] : [];
    }),
  );
  const changes: { id: string; data: Record<string, unknown> }[] = [];
  await eachContact(petrel, [...nested.keys()], ({ id, email }) => changes.push({ id, data: nested.get(email) ?? {} }));
  await forEachOf(changes, ({ id, data }) => petrel.contacts.update(id, { data }));
}

async function createTemplates({ petrel, plan, sender }: Import, outcome: Outcome): Promise<void> {
  for (const { template, converted } of plan.templates) {
    if (!converted) continue;
    const { name, type = "MARKETING" } = template;
    const [, fromName, address] = /^\s*"?([^"<]*?)"?\s*<([^<>]+)>\s*$/.exec(template.from ?? "") ?? [];
    const from = sender ?? address ?? template.from;
    if (!from) {
      outcome.refusedTemplates.push({ name, reason: "It has no sender: say --sender hello@acme.com" });
      continue;
    }
    try {
      await petrel.templates.create({ name, type, from, ...(fromName && { fromName }), ...converted });
      outcome.templates++;
    } catch (error) {
      if (!(error instanceof PetrelError) || error.status === 0 || error.status >= 500) throw error;
      outcome.refusedTemplates.push({ name, reason: error.message });
    }
  }
}
