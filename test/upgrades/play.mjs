import { operatorToken } from "../simulation/settings.mjs";
import { World } from "../simulation/world.mjs";
import { mixedWorker } from "./mixed.mjs";

const receiver = "hooks.acme.test";
const people = ["ada", "grace", "alan", "edsger", "barbara", "donald"].map((name) => `${name}@acme.example`);

/**
 * Plays a day of a project with all kinds of work: mail, a campaign, a workflow, webhooks, jobs, and keys. Its beginning is
 * of the versions of `begin`, and its rest of those of `end`: each of them names a version for requests, for consumers
 * and for objects. In between the project moves to another database. `openModules` opens the modules of each version.
 * Returns what became of it, without ids and times, so that two days can be compared, and how many writes met the fence of
 * the move.
 */
export async function play(seed, openModules, { begin, end }) {
  const roles = { ...begin };
  const world = new World(seed, (time) => mixedModules(openModules, time, roles));
  // Each mail is delivered: what became of it may not depend on the order in which mails come.
  world.outside.provider.random = () => 0.3;
  const project = await world.newProject("acme");
  const ask = caller(world, project);

  const setUp = await prepare(world, ask);
  const beginning = await firstHalf(world, ask, setUp);
  await world.pass(3);
  const { refused, ...moved } = await moveBetween(world, ask, project, { roles, end });
  const rest = await secondHalf(world, ask, beginning);
  await world.pass(25);

  const day = {
    ...summaryOf(world),
    moved,
    answers: [...beginning.answers, ...rest],
    ...(await read(ask, setUp)),
  };
  world.isolates.close();
  return { day, refused };
}

/** Opens the modules of both versions for one isolate. */
function mixedModules(openModules, time, roles) {
  const [current, last] = [openModules.this(time), openModules.last(time)];
  const close = () => {
    current.close();
    last.close();
  };
  return { worker: mixedWorker({ this: current.worker, last: last.worker }, roles), close };
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
  // Without waiting for what happens meanwhile, and with any answer.
  ask.beside = (method, path, body) => world.ask(method, path, { key: keys.secret, body });
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

/**
 * Moves the project. The move begins under one version and ends under the other, and while the fence is up, requests of
 * both versions write at once. What is answered with success is there afterwards, and what is refused is not.
 */
async function moveBetween(world, ask, { id }, { roles, end }) {
  const path = `/admin/projects/${id}`;
  const operator = (method, at, body) => world.call(method, path + at, { key: operatorToken, body });
  const standing = () =>
    world.databases.DB.peek(
      "SELECT shard, move->>'fencedAt' AS fencedAt, move IS NOT NULL AS moves FROM projects WHERE id = ?",
      id,
    )[0];
  const writers = ["this", "last"].map((version) => ({ version, email: `${version}@acme.example`, turn: 0 }));
  for (const { email, turn } of writers) await ask("POST", "/contacts", { email, data: { turn } });
  const to = standing().shard === "DB" ? "DB_01" : "DB";
  const begin = async () => {
    const { status } = await operator("POST", "/move", { database: to });
    if (status !== 202) throw new Error(`The move was answered ${status}`);
  };
  await begin();
  await world.time.pass(20_000);
  Object.assign(roles, end);
  let refused = 0;
  const write = async (writer, turn) => {
    roles.door = writer.version;
    const answer = await ask.beside("POST", "/contacts", { email: writer.email, data: { turn } });
    if (answer.status === 200) writer.turn = turn;
    else if (answer.status === 503) refused += 1;
    else throw new Error(`A write during a move was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  };
  const deadline = world.time.now + 300_000;
  for (let turn = 1; standing().shard !== to; turn++) {
    if (world.time.now > deadline) throw new Error("The move does not come to its end");
    // A version with other tables takes the move back, and an operator starts it again.
    if (!standing().moves) {
      roles.door = end.door;
      await begin();
    }
    if (standing().fencedAt === null) await world.time.pass(2);
    else await world.time.until(Promise.all(writers.map((writer) => write(writer, turn))));
  }
  roles.door = end.door;
  await world.time.pass(10_000);
  for (const { email, turn } of writers) {
    const { body: found } = await ask("GET", `/contacts?email=${email}`);
    const stored = JSON.stringify(found.map(({ data }) => data.turn));
    if (stored !== `[${turn}]`) throw new Error(`Turn ${turn} was answered with success, and ${stored} is stored`);
  }
  const { body: project } = await operator("GET", "");
  return { database: project.database, refused };
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
    emails: counted("SELECT project_id, status AS name, count(*) AS count FROM emails GROUP BY 1, 2"),
    events: counted("SELECT project_id, name, count(*) AS count FROM events GROUP BY 1, 2"),
    plans: counted("SELECT project_id, data->>'plan' AS name, count(*) AS count FROM contacts GROUP BY 1, 2"),
    // A move that a version with other tables took back was started again.
    jobs: counted(
      "SELECT project_id, type || ' ' || status AS name, count(*) AS count FROM jobs WHERE coalesce(reason, '') NOT LIKE 'A new version with other tables%' GROUP BY 1, 2",
    ),
    deadLetters: world.rows("SELECT body FROM dead_letters"),
    waiting: world.queues.waiting.length,
  };
}

function countBy(items) {
  const counts = {};
  for (const item of items.toSorted()) counts[item] = (counts[item] ?? 0) + 1;
  return counts;
}
