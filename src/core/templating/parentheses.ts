import { type Context, evalTokenValue, type RangeToken, Tokenizer, TokenKind, TypeGuards } from "liquidjs";
import { ELEMENT_UNITS } from "./budget";
import { budgetOf } from "./context";

/**
 * Closes two gaps of liquidjs in parentheses. A range beyond 2^53 never ends, because `i += 1` no longer changes `i`.
 * Also, liquidjs looks up a group's filters only at rendering, which is too late to refuse the template. All ranges and
 * groups go through `readGroupOrRange`, including those in strings that filters such as `where` parse at rendering.
 */
export function guardParentheses(isFilter: (name: string) => boolean): void {
  const read = Tokenizer.prototype.readGroupOrRange;
  Tokenizer.prototype.readGroupOrRange = function (this: Tokenizer) {
    const token = read.call(this);
    if (TypeGuards.isFilteredValueToken(token)) {
      const unknown = token.filters.find((filter) => !isFilter(filter.name));
      if (unknown) throw this.error(`undefined filter: ${unknown.name}`, unknown.begin);
    }
    if (TypeGuards.isRangeToken(token)) evaluateSafely(token);
    return token;
  };
}

/** Turns the range into a group without filters: liquidjs then gets its value from our generator. */
function evaluateSafely(token: RangeToken): void {
  // An analysis of the template reads `postfix`.
  const initial = { evaluate: (context: Context) => range(token, context), postfix: [token.lhs, token.rhs] };
  Object.assign(token, { kind: TokenKind.FilteredValue, initial, filters: [] });
}

function* range(token: RangeToken, context: Context): Generator<unknown, number[], unknown> {
  const first = Number(yield evalTokenValue(token.lhs, context));
  const last = Number(yield evalTokenValue(token.rhs, context));
  if (Math.abs(first) > Number.MAX_SAFE_INTEGER || Math.abs(last) > Number.MAX_SAFE_INTEGER) {
    throw new Error("a range cannot count beyond 9007199254740991");
  }
  const length = Math.max(0, Math.floor(last - first) + 1) || 0;
  budgetOf(context).charge(length * ELEMENT_UNITS);
  return Array.from({ length }, (_, index) => first + index);
}
