import { type FieldFault, Invalid } from "../../../core/errors";
import type { StepOutcome } from "../../../core/workflows/outcome";
import { branchesOf, inSegmentTerms, wholeCondition } from "../../../core/workflows/steps/condition-branches";
import type { ConditionConfig } from "../../../core/workflows/steps/condition-config";
import type { Statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { checkCondition } from "../../audience/named-segments";
import { type Arrival, contactDeleted } from "./arrival";
import { type Asking, ConditionTooLarge, decide } from "./decide";
import type { StepEffect } from "./effect";

export const condition = {
  run: (ctx, arrivals) => takeBranches(ctx, arrivals),
  async simulate(ctx, arrival, { contact, events, happened, now }) {
    const instead = { contact, events: events.slice(0, happened).map(({ id, name }) => ({ id, name })) };
    const [outcome] = await takeBranches(ctx, [arrival], { instead, now: new Date(now) });
    return outcome ?? gone;
  },
  check: async (ctx, config) => [await checkNames(ctx, config)],
} satisfies StepEffect<"CONDITION">;

const gone: StepOutcome = { kind: "cancelled", reason: contactDeleted };

/**
 * Decides which branch each execution takes. Writes nothing, so a repeat decides again by the data that is stored at
 * that time. In a simulation, `simulated` replaces the contact's stored data and the time.
 */
async function takeBranches(
  ctx: Context,
  arrivals: Arrival<"CONDITION">[],
  simulated: { instead?: Asking["instead"]; now?: Date } = {},
): Promise<StepOutcome[]> {
  const [first] = arrivals;
  if (!first) return [];
  const { branches, otherwise } = branchesOf(first.step.config);
  const { instead, now } = simulated;
  const asking = arrivals.map(({ contactId, scope }) => ({ contactId, values: scope, ...(instead && { instead }) }));
  const conditions = branches.map(({ condition }) => condition);
  try {
    const decisions = await decide(ctx, conditions, asking, now);
    return decisions.map((decision): StepOutcome => {
      if (decision === "gone") return gone;
      const { first: index, because } = decision;
      const branch = index === null ? otherwise : (branches[index]?.branch ?? otherwise);
      return { kind: "done", branch, output: { branch }, because };
    });
  } catch (error) {
    if (!(error instanceof ConditionTooLarge)) throw error;
    return arrivals.map(() => ({ kind: "failed", reason: error.message }));
  }
}

/** Returns a guard which requires that the condition's segments and topics are unchanged. */
async function checkNames(ctx: Context, config: ConditionConfig): Promise<Statement> {
  try {
    const { unmoved } = await checkCondition(ctx, inSegmentTerms(wholeCondition(config)), { at: "config.condition" });
    return unmoved;
  } catch (error) {
    if (error instanceof Invalid) throw new Invalid(error.faults.map((fault) => placed(fault, config)));
    throw error;
  }
}

/**
 * Moves a fault to the field of the config that it belongs to. The condition was made from the config, in the same
 * order.
 */
function placed(fault: FieldFault, config: ConditionConfig): FieldFault {
  if ("condition" in config) return fault;
  const [, index, key] = /\.groups\.(\d+)\.filters\.0\.(\w+)$/.exec(fault.field) ?? [];
  if (key === undefined) return { ...fault, field: "config" };
  const isOfBranch = "mode" in config && key !== "field";
  return { ...fault, field: isOfBranch ? `config.branches.${index}.${key}` : `config.${key}` };
}
