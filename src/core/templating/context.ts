import { Context, type Liquid, toValue } from "liquidjs";
import { type Budget, NODE_UNITS } from "./budget";

type Path = Parameters<Context["_get"]>[0];

/** Returned by `readAtOnce` when liquidjs must read the value. */
export const notAtOnce: unique symbol = Symbol("not at once");

/** Names to which liquidjs gives a meaning of its own. */
const computed = new Set(["size", "first", "last"]);

/**
 * The scope in which a template looks up names. It reads only own properties of objects, and charges every step to the
 * budget.
 */
export class MeteredContext extends Context {
  /** The number of loop scopes around the current position. */
  private inner = 0;

  constructor(
    scope: object,
    private readonly engine: Liquid,
    readonly budget: Budget,
  ) {
    super(scope, engine.options, { sync: true }, { liquid: engine });
    // Both limiters of liquidjs charge our budget. liquidjs calls only `check`, to compare a clock, and `use`, to
    // count.
    this.renderLimit.check = () => budget.charge(NODE_UNITS);
    this.memoryLimit.use = (count) => budget.charge(Math.max(0, Number(count) || 0));
  }

  /** Reads `profile.tier` as the literal key if there is one, and otherwise as a path, as filters on contacts do. */
  override *_get(path: Path): IterableIterator<unknown> {
    const literal = this.literal(path);
    if (literal === undefined || (yield* this.isShadowed(path))) return yield* super._get(path);
    this.budget.chargeListing(literal);
    return literal;
  }

  override *_getFromScope(scope: unknown, path: Path | string, strict?: boolean): IterableIterator<unknown> {
    const value = yield* super._getFromScope(scope, path, strict);
    // Charged for every value, because `for`, `tablerow` and `slice` copy their input before they look at its first
    // element.
    this.budget.chargeListing(value);
    return value;
  }

  override readProperty(object: object, key: Path[number]): unknown {
    const name = toValue(key);
    // Any other key would be turned into a string first, without a limit for a nested array.
    if (typeof name !== "string" && typeof name !== "number") return undefined;
    if (name === "size") this.budget.chargeListing(object);
    return super.readProperty(object, name);
  }

  override spawn(scope: object = {}): Context {
    return new MeteredContext(scope, this.engine, this.budget);
  }

  /**
   * Reads a path as `_get` does, when the value is a text, a number, a boolean, null or missing. Returns `notAtOnce`
   * for other values, and when a scope other than the mail's data may have the name.
   */
  readAtOnce(path: string[]): unknown {
    const [first = ""] = path;
    if (this.inner > 0 || first in this.bottom() || computed.has(first)) return notAtOnce;
    const value = path.length === 1 ? own(this.environments, first) : this.literal(path);
    const isMissing = value === undefined && path.length > 1;
    return isMissing || (typeof value === "object" && value !== null) || typeof value === "function"
      ? notAtOnce
      : value;
  }

  override push(scope: object): number {
    this.inner += 1;
    return super.push(scope);
  }

  override pop(): object | undefined {
    this.inner -= 1;
    return super.pop();
  }

  private literal(path: Path): unknown {
    if (path.length < 2 || !path.every((part) => typeof part === "string")) return undefined;
    const [first = "", ...rest] = path;
    const name = path.join(".");
    this.budget.charge(name.length * 2);
    return own(this.environments, name) ?? own(own(this.environments, first), rest.join("."));
  }

  /** Whether a loop variable or an assigned variable hides the data of the same name. */
  private *isShadowed([first = ""]: Path): Generator<unknown, boolean, unknown> {
    const seen = yield* super._get([first]);
    return typeof first === "string" && seen !== own(this.environments, first);
  }
}

/** Returns the budget of the rendering to which a filter, tag or operator belongs. */
export function budgetOf(context: Context): Budget {
  if (context instanceof MeteredContext) return context.budget;
  throw new Error("Templates are rendered in a MeteredContext only.");
}

function own(holder: unknown, key: string): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key)) return undefined;
  return Reflect.get(holder, key);
}
