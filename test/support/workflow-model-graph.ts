import type { StepType } from "../../src/core/workflows/step";

/** The graphs of workflows, said a second time, without anything of the product but the names of its types. */

/** What a step is set up with, where the model asks for it. */
interface Configs {
  DELAY: { amount: number; unit: "minutes" | "hours" | "days" };
  WAIT_FOR_EVENT: { eventName: string; timeout?: number };
  CONDITION: ModelFilter | { condition: ModelCondition } | ModelBranches;
  EXIT: { reason?: string };
}

export type ConfigOf<T extends StepType> = T extends keyof Configs ? Configs[T] : object;

export interface ModelStep<T extends StepType = StepType> {
  id: string;
  type: T;
  name: string;
  config: ConfigOf<T>;
  templateId: string | null;
}

export function isOfType<T extends StepType>(step: ModelStep | undefined, type: T): step is ModelStep<T> {
  return step?.type === type;
}

export interface ModelWay {
  from: string;
  to: string;
  branch: string | null;
  priority: number;
}

export interface ModelWorkflow {
  id: string;
  enabled: boolean;
  allowReentry: boolean;
  /** What starts it. */
  eventName: string | null;
  publicEvents: boolean;
  steps: Map<string, ModelStep>;
  ways: ModelWay[];
}

export interface ModelContact {
  id: string;
  email: string;
  subscribed: boolean;
  data: Record<string, unknown>;
}

/** Where an execution goes from a step by a branch. */
export function nextOf({ steps, ways }: ModelWorkflow, stepId: string, branch: string | null): ModelStep | "end" {
  const own = branch === null ? [] : ways.filter((way) => way.from === stepId && way.branch === branch);
  const plain = ways.filter((way) => way.from === stepId && way.branch === null);
  const [way] = own.length > 0 ? own : plain;
  return (way && steps.get(way.to)) ?? "end";
}

/** What conditions and texts of an execution can name. */
export interface Scope {
  contact: ModelContact;
  /** The data of the events that started or woke it. */
  event: Record<string, unknown>;
  context: Record<string, unknown>;
}

/** The value of one field decides. */
interface ModelBranches {
  mode: "multi";
  field: string;
  branches: (Omit<ModelFilter, "field"> & { id: string })[];
}

interface ModelFilter {
  field: string;
  operator: string;
  value?: unknown;
}

/** The branch that a CONDITION takes. */
export function branchOf(config: ConfigOf<"CONDITION">, scope: Scope): string {
  if ("branches" in config) {
    const { field, branches } = config;
    return branches.find((branch) => holds({ ...branch, field }, scope))?.id ?? "default";
  }
  return ("condition" in config ? holdsAll(config.condition, scope) : holds(config, scope)) ? "yes" : "no";
}

interface ModelCondition {
  logic: "AND" | "OR";
  groups: { filters: ModelFilter[] }[];
}

function holdsAll({ logic, groups }: ModelCondition, scope: Scope): boolean {
  const held = groups.map(({ filters }) => filters.every((filter) => holds(filter, scope)));
  return logic === "AND" ? held.every(Boolean) : held.some(Boolean);
}

function holds({ field, operator, value }: ModelFilter, scope: Scope): boolean {
  const found = valueAt(field, scope);
  const isThere = found !== null && found !== undefined;
  const isEmail = field.endsWith("email");
  const same = isEmail ? String(found).toLowerCase() === String(value).toLowerCase() : found === value;
  switch (operator) {
    case "exists":
      return isThere;
    case "notExists":
      return !isThere;
    case "equals":
      return isThere && same;
    case "notEquals":
      return isThere && !same;
    case "contains":
      if (!isThere) return false;
      return isEmail
        ? String(found).toLowerCase().includes(String(value).toLowerCase())
        : String(found).includes(String(value));
    case "greaterThan":
      return typeof found === "number" && found > Number(value);
    default:
      throw new Error(`The model does not know ${operator}`);
  }
}

function valueAt(field: string, { contact, event, context }: Scope): unknown {
  if (field.startsWith("event.")) return event[field.slice("event.".length)];
  if (field.startsWith("context.")) return context[field.slice("context.".length)];
  const ofContact = field.startsWith("contact.") ? field.slice("contact.".length) : field;
  if (ofContact.startsWith("data.")) return contact.data[ofContact.slice("data.".length)];
  if (ofContact === "email") return contact.email;
  if (ofContact === "subscribed") return contact.subscribed;
  throw new Error(`The model does not know the field ${field}`);
}

/** What becomes of a graph when a step is deleted, and its predecessors are joined to its successor, if so said. */
export function withoutStep(workflow: ModelWorkflow, stepId: string, isSpliced: boolean): ModelWay[] {
  const [out] = workflow.ways.filter(({ from }) => from === stepId);
  return workflow.ways.flatMap((way) => {
    if (way.from === stepId) return [];
    if (way.to !== stepId) return [way];
    return isSpliced && out ? [{ ...way, to: out.to }] : [];
  });
}
