import { z } from "zod";
import { conditionSchema, filterSchema } from "../../audience/condition";
import { units } from "../../audience/dates";
import { filterFields } from "../../audience/fields";
import { maxFieldLength, readFilter } from "../../audience/filter";
import { operators } from "../../audience/operators";
import type { JsonObject } from "../../json";
import { storable } from "../../storable";
import { executionFields, isExecutionField } from "../run-fields";

const maxBranches = 20;
const maxNameLength = 100;

/** In a CONDITION with several branches: the branch that is taken when no other branch's condition holds. */
export const otherwise = "default";

const fields = {
  isField: isExecutionField,
  listed: [...filterFields, "topic.<slug>", "data.<key>", ...executionFields].join(", "),
};

const Filter = filterSchema(fields, "Workflow");
const Condition = conditionSchema(Filter, "Workflow");

const name = z
  .string()
  .min(1)
  .max(maxNameLength)
  .refine(...storable);

const Whole = z
  .strictObject({ condition: Condition }, { error: "Send one filter, or a condition, not both" })
  .meta({ id: "WorkflowWholeCondition" });

const MultiConfig = z
  .object({
    mode: z.literal("multi", { error: "The only mode is multi. Leave it out for the branches yes and no" }),
    field: z.string().min(1).max(maxFieldLength),
    branches: z
      .array(
        z.object({
          id: name.meta({ description: "The `branch` of its transition." }),
          name: name.nullish(),
          operator: z.enum(operators),
          value: z.unknown().optional(),
          unit: z.enum(units).nullish(),
        }),
      )
      .min(1)
      .max(maxBranches),
  })
  .transform(({ mode, field, branches }, check) => {
    const seen = new Set<string>();
    const read = branches.map(({ id, name, ...filter }, index) => {
      const fault =
        id === otherwise ? `${otherwise} is the branch for when no other holds` : "Two branches have this id";
      if (id === otherwise || seen.has(id)) {
        check.addIssue({ code: "custom", path: ["branches", index, "id"], message: fault, params: { code: "custom" } });
      }
      seen.add(id);
      const { field: _, ...rest } = readFilter({ ...filter, field }, fields, {
        ...check,
        addIssue: (issue) =>
          check.addIssue(typeof issue === "string" ? issue : { ...issue, path: pathInBranch(issue.path ?? [], index) }),
      });
      return { id, name: name ?? id, ...rest };
    });
    return { mode, field, branches: read };
  })
  .meta({
    id: "WorkflowMultiCondition",
    description:
      "Several branches on one field, evaluated in order. The execution follows the first branch that " +
      `matches, otherwise \`${otherwise}\`.`,
    example: {
      mode: "multi",
      field: "data.plan",
      branches: [{ id: "pro", name: "Pro", operator: "equals", value: "pro" }],
    },
  });

/** Returns the path of a fault: a fault in the field belongs to the step, any other to the branch. */
function pathInBranch(path: readonly PropertyKey[], index: number): PropertyKey[] {
  return path[0] === "field" ? [...path] : ["branches", index, ...path];
}

/** The config of a CONDITION step, for the OpenAPI document. */
export const ConditionConfig = z.union([Filter, Whole, MultiConfig]).meta({
  id: "ConditionStepConfig",
  description: "One filter or a whole condition, with the branches `yes` and `no`, or several branches of your own.",
  example: { field: "data.plan", operator: "equals", value: "pro" },
});
export type ConditionConfig = z.infer<typeof ConditionConfig>;

/**
 * Returns the schema of the form that the caller meant. A key that only one form has tells which it is. The faults then
 * refer to that form alone.
 */
export function formOf(sent: JsonObject): z.ZodType<ConditionConfig> {
  if ("mode" in sent) return MultiConfig;
  return "condition" in sent ? Whole : Filter;
}
