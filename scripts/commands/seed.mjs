import { writeFileSync } from "node:fs";
import { apiOf } from "../lib/api.mjs";
import { Failure } from "../lib/failure.mjs";
import { findRunning } from "../lib/running.mjs";
import { bold, cyan, dim, green, table, thousands } from "../lib/screen.mjs";
import { fillProject } from "../lib/seed.mjs";
import { adminTokenOf } from "../lib/settings.mjs";
import { locateState, readJson } from "../lib/state.mjs";

/**
 * `npm run seed`: creates a project with 10,000 contacts, their events, templates and segments, in the Petrel that runs
 * from STATE_DIR. `-- 2` creates another one with other people. An existing project is only shown; one whose run was
 * interrupted is removed and created again.
 */
export async function main(args) {
  const seed = readSeed(args);
  const state = locateState(process.env);
  const { base, adminToken } = await findPetrel(state);
  const call = apiOf(base);
  const admin = (method, path, body) => call(method, path, { key: adminToken, body });
  const seeds = readJson(state.seeds) ?? {};
  const keep = (project) => {
    seeds[seed] = project;
    writeFileSync(state.seeds, `${JSON.stringify(seeds, null, 2)}\n`, { mode: 0o600 });
  };

  const found = seeds[seed] && (await findProject(call, seeds[seed]));
  if (found?.isWhole) {
    console.log(`Seed ${seed} has a project already, and it stays as it is. For another: npm run seed -- ${seed + 1}`);
    console.log(await describe(base, call, found));
    return;
  }
  if (found) {
    console.log(`The last run for seed ${seed} broke off: its project is removed and created again.`);
    await admin("DELETE", `/admin/projects/${found.id}`);
  }
  const project = await openProject(admin, seed);
  keep({ ...project, isWhole: false });
  await fillProject((method, path, body) => call(method, path, { key: project.secretKey, body }), project, seed);
  keep({ ...project, isWhole: true });
  console.log(await describe(base, call, project));
}

function readSeed([text = "1", ...more]) {
  const seed = Number(text);
  if (more.length === 0 && Number.isInteger(seed) && seed > 0) return seed;
  throw new Failure(
    "npm run seed takes one whole number from 1 on, as in npm run seed -- 2: other numbers, other people.",
  );
}

async function findPetrel(state) {
  const { base, settings } = await findRunning(state);
  if (settings.MAIL_PROVIDER !== "outbox") {
    throw new Failure(
      `This Petrel sends real mail (MAIL_PROVIDER is ${settings.MAIL_PROVIDER}), which invented people must not get: start it with MAIL_PROVIDER=outbox.`,
    );
  }
  if (settings.RATE_LIMIT_ENABLED === "true") {
    throw new Failure("5,000 events would run into this Petrel's rate limits: start it with RATE_LIMIT_ENABLED=false.");
  }
  return { base, adminToken: adminTokenOf(settings) };
}

/** Null when the project was deleted, or its key revoked. */
async function findProject(call, project) {
  const found = await call("GET", "/contacts?limit=1", { key: project.secretKey, accept: [401] });
  return found && project;
}

async function openProject(admin, seed) {
  const { project, keys } = await admin("POST", "/admin/projects", { name: `Seed ${seed}` });
  return { id: project.id, name: project.name, secretKey: keys.secret, publicKey: keys.public };
}

/** Prints what the project contains, and first calls to try. */
async function describe(base, call, { name, id, secretKey, publicKey }) {
  const get = (path) => call("GET", path, { key: secretKey });
  const [contacts, unsubscribed, templates, segments, events] = await Promise.all(
    ["/contacts?limit=1", "/contacts?limit=1&subscribed=false", "/templates", "/segments", "/events/stats"].map(get),
  );
  const buyers = segments.find((segment) => segment.name === "Bought in the last 30 days");
  const rows = [
    ["Project", `${bold(name)}  ${dim(id)}`],
    ["API", cyan(base)],
    ["Docs", cyan(`${base}/docs`)],
    ["Secret key", secretKey],
    ["Public key", publicKey],
    ["Contacts", `${thousands(contacts.total)}, of whom ${thousands(unsubscribed.total)} are unsubscribed`],
    [
      "Events",
      `${thousands(events.total)}: ${events.data.map(({ count, name }) => `${thousands(count)} ${name}`).join(", ")}`,
    ],
    ["Templates", templates.data.map((template) => template.name).join(", ")],
    ["Segments", segments.map((segment) => `${segment.name} (${thousands(segment.memberCount)})`).join(", ")],
  ];
  const auth = `-H 'Authorization: Bearer ${secretKey}'`;
  const tries = [
    ["Look for people", `curl '${base}/contacts?search=garcia&limit=3' ${auth}`],
    ["What happens", `curl '${base}/events?limit=3' ${auth}`],
  ];
  if (buyers) tries.push(["Who bought lately", `curl '${base}/segments/${buyers.id}/contacts?pageSize=3' ${auth}`]);
  return [
    "",
    `  ${green("●")} ${bold("Seeded")}`,
    "",
    table(rows),
    ...tries.flatMap(([title, line]) => ["", `  ${title}:`, "", line]),
    "",
  ].join("\n");
}
