import { chunksOfBytes } from "../../../core/chunks";
import { ContactData, dataTooBig, readData, reservedWarnings } from "../../../core/contacts/data";
import { Invalid } from "../../../core/errors";
import { type Id, newId, textOf } from "../../../core/ids";
import { isJsonObject, type JsonObject } from "../../../core/json";
import { Budget } from "../../../core/templating/budget";
import { renderJson } from "../../../core/templating/render-json";
import type { StepOutcome } from "../../../core/workflows/outcome";
import type { UpdateContactConfig } from "../../../core/workflows/steps/update-contact";
import { openBatch } from "../../../db/batch";
import type { Context } from "../../../platform/context";
import { openSlices } from "../../../platform/let-others-in";
import { happen, type SimulatedWorld, withData } from "../simulation/world";
import { type Arrival, contactDeleted, effectIdOf } from "./arrival";
import type { StepEffect } from "./effect";
import { warnOfForeign } from "./foreign-placeholders";
import { isUnrenderable, type RenderedContact, selectContacts, variablesOf } from "./render-step";
import { type Planned, selectResults, writeUpdates } from "./update-statements";

type Update = Arrival<"UPDATE_CONTACT">;

export const updateContact = {
  run: updateStepContacts,
  simulate: async (_, arrival, world) => changeSimulated(arrival, world),
  renders: true,
  async check(ctx, _, { data }) {
    if (isJsonObject(data)) ctx.warnings.push(...reservedWarnings(data, "config.data"));
    warnOfForeign(ctx, { data });
    return [];
  },
} satisfies StepEffect<"UPDATE_CONTACT">;

/** The maximum total size of the new data that one batch carries, in bytes. */
const maxBytes = 1_000_000;

/**
 * Updates the contacts of a group of executions. A row in `workflow_effects` is the claim: the batch that inserts the
 * row makes the change, and a repeat returns the result that is stored in it. So each value is rendered and written
 * only once.
 */
async function updateStepContacts(given: Context, arrivals: Update[]): Promise<(StepOutcome | null)[]> {
  const ctx = { ...given, now: given.clock() };
  const { cpu } = given;
  const outcomes = new Map<Update, StepOutcome>();
  for (const group of oneOfEachContact(arrivals)) {
    if (cpu.isSpent()) break;
    for (const [arrival, outcome] of await updateGroup(ctx, group)) outcomes.set(arrival, outcome);
  }
  return arrivals.map((arrival) => outcomes.get(arrival) ?? null);
}

/**
 * Splits the arrivals into groups with at most one execution per contact. The groups run in order, so each execution
 * sees the changes of the executions before it.
 */
function oneOfEachContact(arrivals: Update[]): Update[][] {
  const groups: Update[][] = [];
  for (const runs of Map.groupBy(arrivals, ({ contactId }) => textOf(contactId)).values()) {
    for (const [index, arrival] of runs.entries()) {
      const group = groups[index] ?? [];
      groups[index] = [...group, arrival];
    }
  }
  return groups;
}

async function updateGroup(ctx: Context, group: Update[]): Promise<Map<Update, StepOutcome>> {
  const reading = openBatch(ctx);
  const results = reading.add(selectResults(ctx, group.map(effectIdOf)));
  const contacts = reading.add(
    selectContacts(
      ctx,
      group.map(({ contactId }) => contactId),
    ),
  );
  await reading.commit();
  const people = new Map<Id, RenderedContact>(contacts.all.map((contact) => [contact.id, contact]));
  const outcomes = new Map<Update, StepOutcome>();
  const planned: Planned[] = [];
  const { cpu } = ctx;
  const slices = openSlices(cpu);
  for (const [index, arrival] of group.entries()) {
    await slices.between();
    if (cpu.isSpent()) break;
    const known = results.all[index]?.result ?? null;
    const contact = people.get(arrival.contactId);
    const budget = new Budget();
    const plan = known ?? (contact ? planOf(arrival, contact, budget) : skipped(contactDeleted));
    slices.spend(budget.spent);
    if ("kind" in plan) outcomes.set(arrival, plan);
    else planned.push(plan);
  }
  for (const part of chunksOfBytes(planned, maxBytes, ({ patch }) => JSON.stringify(patch))) {
    for (const [arrival, outcome] of await write(ctx, part)) outcomes.set(arrival, outcome);
  }
  return outcomes;
}

/** Returns the change that an execution makes, or an outcome if there is nothing to change or the data is invalid. */
function planOf(arrival: Update, contact: RenderedContact, budget: Budget): Planned | StepOutcome {
  const { config } = arrival.step;
  try {
    const rendered = renderJson(config.data ?? {}, variablesOf(contact, arrival.scope), budget);
    const checked = ContactData.safeParse(rendered);
    if (!checked.success) return { kind: "failed", reason: whyInvalid(checked.error.issues) };
    const { patch, types } = readData(checked.data);
    const [keys, { subscribed }] = [Object.keys(patch), config];
    if (keys.length === 0 && subscribed === undefined) return skipped("There was nothing to change");
    return {
      ...{
        arrival,
        effectId: effectIdOf(arrival),
        contactId: arrival.contactId,
        patch,
        types,
        subscribed: subscribed ?? null,
      },
      ...resultsOf(keys, config),
    };
  } catch (error) {
    if (!isUnrenderable(error)) throw error;
    return { kind: "failed", reason: error.message };
  }
}

/** Returns the usual outcome, and the outcome for a contact that has unsubscribed itself, which no step may undo. */
function resultsOf(keys: string[], { subscribed }: UpdateContactConfig): Pick<Planned, "result" | "ifOptedOut"> {
  const data: JsonObject = keys.length === 0 ? {} : { data: keys };
  const result: StepOutcome = { kind: "done", output: { ...data, ...(subscribed !== undefined && { subscribed }) } };
  if (subscribed !== true) return { result, ifOptedOut: result };
  const output: JsonObject = { ...data, ignored: { subscribed: optedOut } };
  return { result, ifOptedOut: keys.length === 0 ? { ...skipped(optedOut), output } : { kind: "done", output } };
}

const optedOut = "The person has unsubscribed, which a workflow cannot undo";

/** Writes the planned updates. If the data of one execution makes the batch fail, each update is tried alone. */
async function write(ctx: Context, planned: Planned[]): Promise<[Update, StepOutcome][]> {
  const token = textOf(newId());
  try {
    const found = await writeUpdates(ctx, planned, token);
    return planned.map(({ arrival }, index) => {
      const { result = null, isThere = false } = found[index] ?? {};
      return [arrival, result ?? (isThere ? { kind: "failed", reason: dataTooBig } : skipped(contactDeleted))];
    });
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    if (planned.length === 1) return planned.map(({ arrival }) => [arrival, failed(error)]);
    const outcomes: [Update, StepOutcome][] = [];
    for (const one of planned) outcomes.push(...(await write(ctx, [one])));
    return outcomes;
  }
}

function failed({ faults, message }: Invalid): StepOutcome {
  return { kind: "failed", reason: faults[0]?.message ?? message };
}

function skipped(reason: string): Extract<StepOutcome, { kind: "done" }> {
  return { kind: "done", skipped: reason };
}

function whyInvalid(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  return issues.map(({ path, message }) => ["data", ...path.map(String)].join(".").concat(`: ${message}`)).join(". ");
}

/** Changes the contact of a simulation. */
function changeSimulated(arrival: Update, world: SimulatedWorld): StepOutcome {
  const { contact } = world;
  const plan = planOf(arrival, contact, world.budget);
  if ("kind" in plan) return plan;
  const hasSaidNo = plan.subscribed === true && contact.optedOutBy === "PERSON";
  world.contact = withData(contact, plan.patch, world.now);
  if (plan.subscribed !== null && !hasSaidNo) {
    const optedOutAt = plan.subscribed ? null : (contact.optedOutAt ?? world.now);
    world.contact = { ...world.contact, subscribed: plan.subscribed, optedOutAt };
    if (plan.subscribed !== contact.subscribed) {
      happen(world, plan.subscribed ? "contact.subscribed" : "contact.unsubscribed");
    }
  }
  return hasSaidNo ? plan.ifOptedOut : plan.result;
}
