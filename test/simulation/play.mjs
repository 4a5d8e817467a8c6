import { publicId } from "./invariants/ids.mjs";
import { faultsIn } from "./invariants/invariants.mjs";
import { served } from "./parts/processes.mjs";
import { passDay } from "./people/clock.mjs";
import { clockTenant } from "./people/clock-plan.mjs";
import { act } from "./people/deeds.mjs";
import { tenants } from "./people/plan.mjs";
import { settle } from "./people/tenant.mjs";
import { operatorToken } from "./settings.mjs";
import { World } from "./world.mjs";

const minuteMs = 60_000;
/** Faults go on for a while when people have stopped, and in any case for so long. */
const faultyMinutes = 5;
/** A world that has healed is looked at after each of these times. After the last, everything must hold. */
const looksAfterMinutes = [6, 20, 60, 240];
/** One world in so many lives until the last look, in case something happens late that must not. */
const longLivesOneIn = 16;

/**
 * Plays a plan in the world of its seed: first with faults, then without. Returns what does not hold afterwards. A brief play
 * looks once.
 */
export async function play(plan, openModules, { planted, isBrief = false } = {}) {
  const world = new World(plan.seed, openModules, { rates: plan.rates, planted });
  const settled = new Map();
  for (const name of tenantsOf(plan)) settled.set(name, await settle(world, name));
  const told = { answers: [], facts: [], restored: [], tenants: [...settled.values()] };
  world.faults.isHealed = false;
  world.isolates.setClocks();
  const deeds = plan.entries.map((entry) => begin(world, settled.get(entry.tenant), entry, told));
  await world.pass(Math.max(faultyMinutes, Math.ceil((plan.withinMs ?? 0) / minuteMs) + 1));
  world.faults.heal(world.time.now);
  const looks = isBrief ? looksAfterMinutes.slice(0, 1) : looksAfterMinutes;
  const faults = await converge(world, looks, { told, tenants: [...settled.values()], deeds, seed: plan.seed });
  world.isolates.close();
  return { faults, world, ...sums(world) };
}

/** The tenant on a test clock lives where it does something. */
function tenantsOf({ entries }) {
  return entries.some(({ tenant }) => tenant === clockTenant) ? [...tenants, clockTenant] : tenants;
}

function begin(world, tenant, entry, told) {
  const deed = { entry, isOver: false, error: null };
  world.time.set(async () => {
    try {
      await act(world, tenant, entry, told);
    } catch (error) {
      deed.error = error;
    } finally {
      deed.isOver = true;
    }
  }, entry.at);
  return deed;
}

/** Lets a healed world live until everything holds. What does not after the last look never will. */
async function converge(world, looks, seen) {
  let faults = [];
  let passed = 0;
  for (const minutes of looks) {
    await release(world, seen);
    await world.pass(minutes - passed);
    passed = minutes;
    faults = await faultsIn(world, seen);
    if (faults.length === 0 && seen.seed % longLivesOneIn !== 0) break;
  }
  return faults;
}

/** Ends what people have put off: a project that is disabled, a campaign that is held. */
async function release(world, { tenants: settled, told }) {
  for (const tenant of settled.filter(({ isDeleted }) => !isDeleted)) {
    await world.call("PATCH", `/admin/projects/${tenant.id}`, { key: operatorToken, body: { disabled: false } });
    const held = world.rows("SELECT id, project_id FROM campaigns WHERE held_reason IS NOT NULL");
    const heldIds = new Set(held.map(({ id }) => publicId(id)));
    for (const { id } of tenant.campaigns.filter((campaign) => heldIds.has(campaign.id)))
      await world.call("POST", `/campaigns/${id}/resume`, { key: tenant.key, body: {} });
    if (tenant.isOnClock) told.facts.push(await passDay(world, tenant));
  }
}

function sums({ databases, faults, outside }) {
  const all = Object.values(databases);
  const sum = (name) => all.reduce((total, database) => total + database[name], 0);
  // Each call of the Worker or of one of its objects, each call to the outside, and each fault.
  const events = served.calls + outside.calls + faults.drawn;
  return { events, trips: sum("trips"), statements: sum("statements"), drawn: faults.drawn, counts: faults.counts };
}
