import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "./failure.mjs";
import { progress, thousands } from "./screen.mjs";
import { csvOf, makeEvents, makePeople, makeTemplates, SEGMENTS } from "./seed-data.mjs";

const CONNECTIONS = 16;
const LOOKED_UP_AT_ONCE = 500;
const TESTERS = 50;

/** Fills an empty project through the API. `call` carries its secret key. */
export async function fillProject(call, project, seed) {
  const people = makePeople(seed, Date.now());
  // A name is verified in one project only, and an earlier project of this seed may still have it.
  const domain = `seed-${project.id.slice(-8)}.test`;
  await call("POST", "/domains", { domain });
  await makeEach(call, "Templates   ", "/templates", makeTemplates(domain));
  await importPeople(call, people);
  await unsubscribe(call, people);
  await track(call, makeEvents(seed, people));
  const segments = await makeEach(call, "Segments    ", "/segments", SEGMENTS);
  const testers = segments.find(({ type }) => type === "STATIC");
  await call("POST", `/segments/${testers.id}/members`, { emails: people.slice(0, TESTERS).map(({ email }) => email) });
}

async function makeEach(call, label, path, bodies) {
  const line = progress(label);
  const made = [];
  for (const body of bodies) made.push(await call("POST", path, body));
  line.end(`${made.length}`);
  return made;
}

async function importPeople(call, people) {
  const line = progress("Contacts    ");
  const form = new FormData();
  form.set("file", new Blob([csvOf(people)], { type: "text/csv" }), "contacts.csv");
  const { jobId } = await call("POST", "/contacts/import", form);
  const job = await untilEnd(call, `/contacts/import/${jobId}`, line);
  if (job.imported !== people.length) throw new Failure(`Not all contacts were imported: ${JSON.stringify(job)}`);
  line.end(`${thousands(job.imported)} imported from a CSV file`);
}

async function unsubscribe(call, people) {
  const line = progress("Unsubscribed");
  const emails = people.filter(({ isSubscribed }) => !isSubscribed).map(({ email }) => email);
  const contactIds = [];
  for (let from = 0; from < emails.length; from += LOOKED_UP_AT_ONCE) {
    const some = emails.slice(from, from + LOOKED_UP_AT_ONCE);
    const { contacts } = await call("POST", "/contacts/lookup?expand=contacts", { emails: some });
    contactIds.push(...contacts.map(({ id }) => id));
  }
  const { jobId } = await call("POST", "/contacts/bulk-unsubscribe", { contactIds });
  const job = await untilEnd(call, `/contacts/bulk/${jobId}`, line);
  line.end(`${thousands(job.succeeded)} of them`);
}

async function untilEnd(call, path, line) {
  for (;;) {
    const job = await call("GET", path);
    if (job.status === "failed") throw new Failure(`${path} failed: ${JSON.stringify(job)}`);
    if (job.status === "completed") return job;
    line.at(job.progress / 100);
    await sleep(250);
  }
}

async function track(call, events) {
  const line = progress("Events      ");
  let next = 0;
  async function connection() {
    while (next < events.length) {
      line.at(next / events.length);
      await call("POST", "/events/track", events[next++]);
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  line.end(`${thousands(events.length)} tracked`);
}
