import { isJsonObject } from "../json";
import { type UnknownName, unknownIn } from "../unknown-names";
import { maxDepth } from "./condition";

const ofCondition = new Set(["logic", "groups"]);
const ofGroup = new Set(["filters", "conditions"]);
const ofFilter = new Set(["field", "operator", "value", "unit"]);

/**
 * Yields the unknown names in a value that may be a condition. Stops at the greatest depth that a valid condition can
 * have.
 */
export function* unknownInCondition(sent: unknown, path: string, depth = 1): Generator<UnknownName> {
  if (!isJsonObject(sent) || depth > maxDepth) return;
  yield* unknownIn(sent, path, ofCondition);
  if (!Array.isArray(sent.groups)) return;
  for (const [index, group] of sent.groups.entries()) {
    if (!isJsonObject(group)) continue;
    const at = `${path}.groups.${index}`;
    yield* unknownIn(group, at, ofGroup);
    yield* unknownIn(group.filters, `${at}.filters`, ofFilter);
    yield* unknownInCondition(group.conditions, `${at}.conditions`, depth + 1);
  }
}
