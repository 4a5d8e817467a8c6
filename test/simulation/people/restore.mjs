import { forgetLost } from "../invariants/restored.mjs";
import { operatorToken } from "../settings.mjs";
import { idOf, isGood } from "./contacts.mjs";

/** A key that is gone is known everywhere in half a minute. */
const untilKnownMs = 60_000;
const leastWindowMs = 5_000;

/** What an operator does whose database was damaged: it goes back to an earlier time, and all else does not. */
export const restoreDeeds = {
  async restoreDatabase(caller, { draws: [which, time] }) {
    const { world, told } = caller;
    const name = which < 0.8 ? "DB" : "DB_01";
    const database = world.databases[name];
    const homes = homesOf(world);
    const from = world.time.now;
    database.bookmark();
    await world.time.wait(leastWindowMs + time * 150_000);
    // Nobody goes back to before a move: what has left the database, or come to it, would be lost or there twice.
    if (homesOf(world) !== homes) return database.forget();
    database.restore();
    const affected = told.tenants.filter((tenant) => name === "DB" || world.homeOf(tenant) === name);
    const restored = { from, to: world.time.now, names: new Set(affected.map((tenant) => tenant.name)) };
    told.restored.push(restored);
    world.outside.receivers.trustAll();
    await Promise.all(affected.map((tenant) => putInOrder(caller, tenant, { name, restored })));
  },
};

/** Where each project lives, and which of them are on the move. */
function homesOf({ databases }) {
  const projects = databases.DB.peek("SELECT number, shard FROM projects ORDER BY number");
  const moves = Object.values(databases).map((database) => database.peek("SELECT * FROM moves"));
  return JSON.stringify([projects, moves]);
}

/** Does again for a tenant what the operator and the tenant know to be undone. */
async function putInOrder(caller, tenant, { name, restored }) {
  // Calls of this tenant may be refused meanwhile, and things that were made since are not there.
  tenant.timesDisabled += 1;
  // All projects depend on the first database, and their workflows are in their own.
  if (caller.world.homeOf(tenant) === name) for (const workflow of tenant.workflows) goBack(workflow, restored);
  const admin = (method, path, body) =>
    caller.insist(method, `/admin/projects/${tenant.id}${path}`, { key: operatorToken, body, allowed: [404] });
  if (name === "DB" && tenant.isDeleted) await admin("DELETE", "");
  else {
    if (name === "DB") await renewAccess(tenant, admin);
    await eraseAgain(caller, tenant, restored);
  }
  await caller.world.time.wait(untilKnownMs);
  forgetLost(caller.world, caller.told);
  tenant.timesDisabled -= 1;
}

async function renewAccess(tenant, admin) {
  tenant.accessRenewed += 1;
  await admin("PATCH", "", { disabled: false });
  const { status, body } = await admin("POST", "/keys", { kind: "secret" });
  if (isGood(status)) Object.assign(tenant, { key: body.key, keyIds: [body.id] });
}

/** People who were erased since the bookmark are back. */
async function eraseAgain(caller, tenant, { from, to }) {
  const erased = caller.told.facts.filter(
    (fact) => fact.is === "erased" && fact.tenant === tenant.name && fact.at >= from && fact.at <= to,
  );
  const own = caller.of(tenant);
  for (const { email } of erased) {
    const id = await idOf(own, email);
    if (id === null) continue;
    const { status } = await own.insist("DELETE", `/contacts/${id}`, { allowed: [404] });
    if (isGood(status) || status === 404) own.note({ is: "erased", email });
  }
}

/** A workflow has again one of the documents that it may have had at the bookmark. */
function goBack(workflow, { from, to }) {
  const { documents } = workflow;
  const before = documents.filter((one) => one.from <= from);
  const possible = before.filter((one) => !before.some((later) => later.until <= from && one.until < later.from));
  for (const one of possible) documents.push({ document: one.document, moveTo: one.moveTo, from: to, until: to });
}
