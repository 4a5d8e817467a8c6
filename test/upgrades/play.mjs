import { World } from "../simulation/world.mjs";
import { mixedWorker } from "./mixed.mjs";

const receiver = "hooks.acme.test";
const people = ["ada", "grace", "alan", "edsger", "barbara", "donald"].map((name) => `${name}@acme.example`);

/**
 * Plays a day of a project with all kinds of work: mail, a campaign, a workflow, webhooks, jobs, and keys. Its beginning is
 * of the versions of `begin`, and its rest of those of `end`: each of them names a version for requests, for consumers
 * and for objects. `load` opens an isolate of a version. Returns what became of it, without ids and times, so that two days
 * can be compared.
 */
export async function play(seed, load, { begin, end }) {
  const roles = { ...begin };
  const world = new World(seed, () => mixedWorker({ this: load.this(), last: load.last() }, roles));
  // Each mail is delivered: what became of it may not depend on the order in which mails come.
  world.outside.provider.random = () => 0.3;
  const project = await world.newProject("acme");
  const ask = caller(world, project);

  const setUp = await prepare(world, ask);
  const beginning = await firstHalf(world, ask, setUp);
  await world.pass(3);
  Object.assign(roles, end);
  const rest = await secondHalf(world, ask, beginning);
  await world.pass(25);

  return {
    ...summaryOf(world),
    answers: [...beginning.answers, ...rest],
    ...(await read(ask, setUp)),
  };
}

/** Calls the API with the secret key. A refusal that nobody expects ends the day. */
function caller(world, { keys, domain }) {
  const ask = async (method, path, body, { headers = {}, key = keys.secret, expected = [200, 201, 202] } = {}) => {
    const answer = await world.call(method, path, { key, body, headers });
    if (!expected.includes(answer.status)) {
      throw new Error(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    return answer;
  };
  ask.from = `hello@${domain}`;
  ask.publicKey = keys.public;
  return ask;
}

async function prepare(world, ask) {
  const mail = { from: ask.from, subject: "Hello {{ firstName }}", body: "<p>Hello {{ firstName }}</p>" };
  const webhook = await ask("POST", "/webhooks", { url: `https://${receiver}/events`, events: ["*"] });
  world.outside.receivers.expect(receiver, webhook.body.secret);
  const template = await ask("POST", "/templates", { name: "Welcome", type: "TRANSACTIONAL", ...mail });
  for (const email of people) await ask("POST", "/contacts", { email, subscribed: true, data: { plan: "pro" } });
  const workflow = await ask("POST", "/workflows", {
    name: "Welcome",
    eventName: "signup",
    steps: [
      { key: "hello", type: "SEND_EMAIL", templateId: template.body.id },
      { key: "rest", type: "DELAY", config: { amount: 5, unit: "minutes" } },
      { key: "call", type: "WEBHOOK", config: { url: `https://${receiver}/step`, method: "POST" } },
      { key: "wait", type: "WAIT_FOR_EVENT", config: { eventName: "purchase", timeout: 600 } },
      { key: "bought", type: "UPDATE_CONTACT", config: { data: { plan: "bought" } } },
    ],
    transitions: [
      { from: "trigger", to: "hello" },
      { from: "hello", to: "rest" },
      { from: "rest", to: "call" },
      { from: "call", to: "wait" },
      { from: "wait", to: "bought", branch: "event" },
    ],
  });
  await ask("PATCH", `/workflows/${workflow.body.id}`, { enabled: true });
  const campaign = await ask("POST", "/campaigns", { name: "News", audienceType: "ALL", ...mail });
  return { workflowId: workflow.body.id, campaignId: campaign.body.id };
}

async function firstHalf(world, ask, { campaignId }) {
  await ask("POST", "/contacts/bulk-unsubscribe", { matching: { search: "donald" } });
  await world.pass(1);
  const send = { to: people[0], from: ask.from, subject: "Receipt", body: "<p>Thank you</p>" };
  const keyed = { headers: { "Idempotency-Key": "order-1" } };
  const sent = await ask("POST", "/v1/send", send, keyed);
  const later = { ...send, scheduledAt: new Date(Date.now() + 10 * 60_000).toISOString() };
  await ask("POST", "/v1/send", later);
  for (const email of people.slice(0, 4)) await track(ask, email, "signup");
  await ask("POST", `/campaigns/${campaignId}/send`, {});
  return { send, keyed, answers: [sent.status] };
}

async function secondHalf(world, ask, { send, keyed }) {
  const again = await ask("POST", "/v1/send", send, { ...keyed, expected: [409] });
  const other = await ask("POST", "/v1/send", { ...send, to: people.slice(1, 4) });
  for (const email of people.slice(3)) await track(ask, email, "signup");
  // Those who came first have rested by then, and wait for it.
  await world.pass(4);
  for (const email of people.slice(0, 2)) await track(ask, email, "purchase");
  return [again.status, other.status];
}

function track(ask, email, event) {
  return ask("POST", "/v1/track", { email, event }, { key: ask.publicKey });
}

async function read(ask, { campaignId, workflowId }) {
  const { body: stats } = await ask("GET", `/campaigns/${campaignId}/stats`);
  const { body: executions } = await ask("GET", `/workflows/${workflowId}/executions?pageSize=100`);
  return { stats, executions: countBy(executions.map(({ status }) => status)) };
}

/** What the rows say in the end, and what the provider took. */
function summaryOf(world) {
  const counted = (sql) => Object.fromEntries(world.rows(sql).map(({ name, count }) => [name, count]));
  return {
    taken: countBy(world.outside.provider.mails.map(({ mail }) => `${mail.subject} to ${[mail.to].flat().join()}`)),
    heard: countBy(world.outside.receivers.heard.map(({ type }) => type)),
    called: world.outside.receivers.bodies.length,
    emails: counted("SELECT status AS name, count(*) AS count FROM emails GROUP BY 1"),
    events: counted("SELECT name, count(*) AS count FROM events GROUP BY 1"),
    plans: counted("SELECT data->>'plan' AS name, count(*) AS count FROM contacts GROUP BY 1"),
    jobs: counted("SELECT type || ' ' || status AS name, count(*) AS count FROM jobs GROUP BY 1"),
    deadLetters: world.rows("SELECT body FROM dead_letters"),
    waiting: world.queues.waiting.length,
  };
}

function countBy(items) {
  const counts = {};
  for (const item of items.toSorted()) counts[item] = (counts[item] ?? 0) + 1;
  return counts;
}
