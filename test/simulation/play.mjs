import { faultsIn } from "./invariants.mjs";
import { drawPlan, tenants } from "./plan.mjs";
import { World } from "./world.mjs";

const maxTries = 6;
const againMs = 5_000;
/** For so long a world lives on after its faults: what is retried by the hour has its turn. */
const healedMinutes = 90;

/** Plays a plan in the world of a seed. Returns what does not hold afterwards. */
export async function play(seed, worker, { steps, planted, plan = drawPlan(seed, steps) }) {
  const world = new World(seed, worker, { planted });
  world.faults.isHealed = true;
  const projects = new Map();
  for (const name of tenants) projects.set(name, await world.newProject(name));
  world.faults.isHealed = false;
  const deeds = plan.map((entry) => ({ entry, answers: [] }));
  const begin = world.time.now;
  for (const deed of deeds) world.time.set(() => act(world, projects, deed), begin + deed.entry.at - world.time.now);
  await world.pass(5);
  world.faults.isHealed = true;
  await world.pass(healedMinutes);
  const { trips, statements } = sums(world);
  return { faults: faultsIn(world, deeds), drawn: world.faults.drawn, trips, statements };
}

/** Does what an entry says. A caller with an idempotency key tries again until there is an answer that counts. */
async function act(world, projects, { entry, answers }) {
  const project = projects.get(entry.tenant);
  const { method, path, key, body } = callOf(entry, project);
  const headers = entry.hasKey ? { "Idempotency-Key": `k-${entry.number}` } : {};
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const answer = await world.ask(method, path, { key, body, headers });
    answers.push(answer);
    if (answer.status < 500 || !entry.hasKey) return;
    await world.time.wait(againMs);
  }
}

function callOf({ kind, number, to: [first, ...others] }, { keys, domain }) {
  switch (kind) {
    case "send":
      return {
        ...{ method: "POST", path: "/v1/send", key: keys.secret },
        body: { to: [first, ...others], from: `hello@${domain}`, subject: `Mail ${number}`, body: "<p>Hello</p>" },
      };
    case "track":
      return { method: "POST", path: "/v1/track", key: keys.public, body: { email: first, event: "signup" } };
    case "contact":
      return { method: "POST", path: "/contacts", key: keys.secret, body: { email: first, data: { number } } };
    default:
      return { method: "POST", path: "/contacts", key: keys.secret, body: { email: first, subscribed: false } };
  }
}

function sums({ databases }) {
  const all = Object.values(databases);
  const sum = (name) => all.reduce((total, database) => total + database[name], 0);
  return { trips: sum("trips"), statements: sum("statements") };
}
