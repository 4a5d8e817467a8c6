import { type Context, defaultOperators, type Operators, toValue } from "liquidjs";
import { budgetOf } from "./context";
import { chargeSearching } from "./filters";

const COMPARISONS = ["==", "!=", "<", ">", "<=", ">="];

/** Returns Liquid's operators, which pay for reading their values, and `??`. */
export function meteredOperators(): Operators {
  const operators: Operators = {
    ...defaultOperators,
    contains: metered("contains", (context, left, right) => chargeSearching(budgetOf(context), left, right)),
    "??": firstGiven,
  };
  for (const name of COMPARISONS) {
    operators[name] = metered(name, (context, left, right) => budgetOf(context).chargeReading([left, right]));
  }
  return operators;
}

/** The operator `??`. Missing values, null and "" fall back; false and 0 do not. */
function firstGiven(value: unknown, fallback: unknown): boolean {
  // liquidjs accepts any result of an operator, although its types require a boolean.
  return (isGiven(toValue(value)) ? value : fallback) as boolean;
}

export function isGiven(plain: unknown): boolean {
  return plain !== undefined && plain !== null && plain !== "";
}

function metered(name: string, pay: (context: Context, left: unknown, right: unknown) => void): Operators[string] {
  const compare = defaultOperators[name];
  return (left: unknown, right: unknown, context: Context) => {
    pay(context, left, right);
    return compare ? compare(left, right, context) : false;
  };
}
