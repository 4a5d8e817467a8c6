import type { FilterCondition } from "../../src/core/audience/condition";
import { isPro, only } from "./segment";

/** A contact as its row says, by the id that customers know. */
export interface ContactNow {
  id: string;
  email: string;
  subscribed: boolean;
  data: Record<string, unknown>;
}

/** A condition, and what it means, said a second time without anything of the product. */
export interface Rule {
  condition: FilterCondition;
  holds(contact: ContactNow): boolean;
}

const pro: Rule = { condition: isPro, holds: ({ data }) => data.plan === "pro" };
const free: Rule = { condition: only("data.plan", "equals", "free"), holds: ({ data }) => data.plan === "free" };
const many: Rule = {
  condition: only("data.n", "greaterThan", 5),
  holds: ({ data }) => typeof data.n === "number" && data.n > 5,
};
const reached: Rule = { condition: only("subscribed", "equals", true), holds: ({ subscribed }) => subscribed };

function joined(logic: "AND" | "OR", rules: Rule[]): Rule {
  return {
    condition: { logic, groups: rules.flatMap(({ condition }) => condition.groups) },
    holds: (contact) => rules[logic === "AND" ? "every" : "some"](({ holds }) => holds(contact)),
  };
}

/** Never does anybody have one of these events. */
const neverAnything: Rule = {
  condition: {
    logic: "AND",
    groups: Array.from({ length: 98 }, (_, n) => only(`never-${n}`, "notTriggered").groups).flat(),
  },
  holds: () => true,
};

export const shortRules: Rule[] = [pro, free, many, reached, joined("AND", [pro, reached]), joined("OR", [free, many])];

/** Asked at such length that one statement asks some 280 contacts, and a scan of more takes several steps. */
export const longRules: Rule[] = [pro, many].map((rule) => joined("AND", [rule, neverAnything]));

const meanings = new Map(
  [...shortRules, ...longRules].map(({ condition, holds }) => [JSON.stringify(condition), holds]),
);

/** What a stored condition means. */
export function meaningOf(condition: string): Rule["holds"] {
  const holds = meanings.get(condition);
  if (!holds) throw new Error(`No rule has this condition: ${condition}`);
  return holds;
}
