import { emailOfTag, publicId, storedId } from "./ids.mjs";
import { isLost } from "./restored.mjs";

const clocksDifferMs = 5_000;

/** What was answered with 2xx is there, and what has a key is there once. Each event reaches its webhook. */
export function effectsLost(world, state) {
  const deleted = new Set(state.facts.filter(({ is }) => is === "deleted").map(({ tenant }) => tenant));
  const facts = state.facts.filter(({ tenant }) => !deleted.has(tenant));
  const of = (kind) => facts.filter(({ is }) => is === kind);
  return [
    ...of("sent").flatMap((fact) => faultsOfSend(fact, state)),
    ...of("tracked").flatMap((fact) => faultsOfTrack(world, fact)),
    ...[...of("sent"), ...of("tracked")].flatMap(keyOfAnother),
    ...sentTooEarly(world, state, of("sent")),
    ...faultsOfReceived(world, state, of("written")),
    ...faultsOfContacts(world, state, of("saved"), of("imported")),
    ...unheard(world, state, deleted),
    ...world.outside.receivers.forged,
    ...strangersHeard(world, state),
  ];
}

const isGood = ({ status }) => status >= 200 && status < 300;

function faultsOfSend({ entry, tenant, subject, to, answers, hasKey }, { emails, numberOf }) {
  const name = `${entry.kind} ${entry.number}`;
  const good = answers.filter(isGood);
  const answered = good.flatMap(({ body }) => body.emails.map(({ email }) => storedId(email)));
  const rows = emails.filter((email) => email.project_id === numberOf.get(tenant) && email.subject === subject);
  const known = new Set(rows.map(({ id }) => id));
  const lost = answered.filter((id) => !known.has(id) && !emails.some((email) => email.id === id));
  const most = hasKey || answers.length === 1 ? to.length : to.length * answers.length;
  return [
    ...lost.map((id) => `${name} was answered with ${id}, which is not there`),
    ...(rows.length > most ? [`${name} has ${rows.length} mails, for ${to.length} recipients`] : []),
    ...(new Set(answered).size > to.length && hasKey ? [`${name} had its effect twice: ${answered}`] : []),
  ];
}

/** Mail of a later time waits for it; clocks of machines differ by some seconds. */
function sentTooEarly(world, { outbox }, sent) {
  const notBefore = new Map(
    sent.flatMap(({ notBefore, answers }) =>
      answers.filter(isGood).flatMap(({ body }) => body.emails.map(({ email }) => [storedId(email), notBefore])),
    ),
  );
  const handedOver = [
    ...world.outside.provider.arrivals.map(({ tag, at }) => ({ id: emailOfTag(tag), at: at + clocksDifferMs })),
    // A project on a test clock has one time.
    ...outbox.map(({ email_id: id, created_at: at }) => ({ id, at })),
  ];
  return handedOver
    .filter(({ id, at }) => at < (notBefore.get(id) ?? 0))
    .map(({ id, at }) => `${id} was handed over at ${at}, before its time`);
}

/** A key belongs to its project, so that a caller which uses it for one request alone is never told of another. */
function keyOfAnother({ entry, answers }) {
  const isOfAnother = ({ status, body }) => status === 409 && body?.error?.details?.sameRequest === false;
  return answers.some(isOfAnother)
    ? [`${entry.kind} ${entry.number} was told that its key served another request`]
    : [];
}

function faultsOfTrack(world, { entry, answers, hasKey }) {
  const ids = new Set(answers.filter(isGood).map(({ body }) => body.event));
  const lost = [...ids].filter((id) => world.rows("SELECT 1 FROM events WHERE id = ?", storedId(id)).length === 0);
  return [
    ...lost.map((id) => `track ${entry.number} was answered with ${publicId(storedId(id))}, which is not there`),
    ...(hasKey && ids.size > 1 ? [`track ${entry.number} had its effect twice`] : []),
  ];
}

/** An email that came for a tenant is one event of its sender, once its notice was accepted. */
function faultsOfReceived(world, state, written) {
  const { numberOf, facts } = state;
  const disabled = new Set(facts.filter(({ is }) => is === "disabling").map(({ tenant }) => tenant));
  return written.flatMap(({ entry, tenant, from, to, isTaken, takenAt }) => {
    const events = world.rowsOf(
      numberOf.get(tenant),
      `SELECT c.email FROM events e LEFT JOIN contacts c ON c.project_id = e.project_id AND c.id = e.contact_id
        WHERE e.project_id = ? AND e.name = 'email.received' AND e.data->>'to' = '${to}'`,
    );
    const least = isTaken && !disabled.has(tenant) && !isLost(state, tenant, takenAt, { lateMs: 10_000 }) ? 1 : 0;
    const isRight = events.length >= least && events.length <= 1 && events.every(({ email }) => email === from);
    return isRight
      ? []
      : [`${entry.kind} ${entry.number} of ${from} is ${events.length} events: ${JSON.stringify(events)}`];
  });
}

/** Keys that were saved are there: nobody overwrites or deletes them. */
function faultsOfContacts(world, { numberOf }, saved, imported) {
  const contacts = world.rows("SELECT project_id, email, data FROM contacts");
  const dataOf = new Map(
    contacts.map(({ project_id: project, email, data }) => [`${project} ${email}`, JSON.parse(data)]),
  );
  const missing = ({ tenant, email, key, value }) => dataOf.get(`${numberOf.get(tenant)} ${email}`)?.[key] !== value;
  const jobs = new Map(world.rows("SELECT project_id, id, status, result FROM jobs").map((job) => [job.id, job]));
  const done = imported.filter(({ jobId }) => jobs.get(storedId(jobId))?.status === "completed");
  const rows = done.flatMap(({ emails, ...fact }) => emails.map((email) => ({ ...fact, email })));
  return [
    ...done.flatMap((fact) => resultFaults(fact, JSON.parse(jobs.get(storedId(fact.jobId)).result))),
    ...[...saved, ...rows]
      .filter(missing)
      .map(({ entry, email, key }) => `${entry.kind} ${entry.number} saved ${key} of ${email}, which is not there`),
  ];
}

/** An import counts each row once: the people that it has made, and those that were there. */
function resultFaults({ entry, emails, news }, { imported, updated, skipped }) {
  const isRight = imported === news && updated === emails.length - news && skipped === 0;
  const counted = `${imported} new, ${updated} known and ${skipped} skipped`;
  return isRight
    ? []
    : [`${entry.kind} ${entry.number} counts ${counted} people, and had ${news} of ${emails.length} new`];
}

/** Each event of a project that has a webhook reaches it. */
function unheard(world, { tenants, numberOf }, deleted) {
  const heard = new Set(world.outside.receivers.heard.map(({ host, id }) => `${host} ${id}`));
  return tenants
    .filter(({ name }) => !deleted.has(name))
    .flatMap(({ name, host }) =>
      world
        .rowsOf(numberOf.get(name), "SELECT id, name FROM events WHERE project_id = ?")
        .filter(({ id }) => !heard.has(`${host} ${publicId(id)}`) && !heard.has(`${host} ${id}`))
        .map((event) => `${host} never heard of ${event.name} ${publicId(event.id)}`),
    );
}

function strangersHeard(world, { tenants }) {
  return world.outside.receivers.bodies.flatMap(({ host, body }) =>
    tenants
      .filter((tenant) => tenant.host !== host && body.includes(`@${tenant.name}.example`))
      .map((tenant) => `${host} was sent people of ${tenant.name}`),
  );
}
