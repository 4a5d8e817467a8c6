import { isOfProduct } from "./tenant-check";

/**
 * The documented limits of D1 (https://developers.cloudflare.com/d1/platform/limits/), each less a fifth: a statement of
 * ours that comes near one fails its test. Local D1 takes more than the documents say.
 */
const limits = { parameters: 80, textBytes: 80_000, valueBytes: 1_600_000 };

/**
 * A condition of a hundred filters, the most that a caller may send, and 30 deep has 86 KB. Nothing makes it longer, because
 * names of fields and values are parameters.
 */
const condition = { start: "WITH a (v) AS (SELECT ?)", textBytes: 90_000 };

const faults = new Set<string>();

/** What passed a limit since the last look. */
export function limitFaults(): string[] {
  const found = [...faults];
  faults.clear();
  return found;
}

const utf8 = new TextEncoder();

/** Looks at every statement from here on, of whatever database. */
export function watchLimits(database: D1Database): void {
  // All statements share one class, and files share an isolate.
  const shared: { bind: D1PreparedStatement["bind"]; isWatched?: true } = Object.getPrototypeOf(
    database.prepare("SELECT 1"),
  );
  if (shared.isWatched) return;
  const { bind } = shared;
  shared.isWatched = true;
  shared.bind = function (this: D1PreparedStatement & { statement?: string }, ...values: unknown[]) {
    const text = this.statement ?? "";
    note(text, "parameters", values.length, limits.parameters);
    note(text, "bytes of SQL", text.length, text.startsWith(condition.start) ? condition.textBytes : limits.textBytes);
    for (const value of values) {
      // A text has at most three bytes for each of its units.
      if (typeof value !== "string" || value.length * 3 <= limits.valueBytes) continue;
      note(text, "bytes in one value", utf8.encode(value).length, limits.valueBytes);
    }
    return bind.apply(this, values);
  };
}

function note(text: string, what: string, found: number, most: number): void {
  // Tests seed more at once than the product writes.
  if (found > most && isOfProduct(new Error().stack ?? ""))
    faults.add(`${found} ${what}, and ${most} are 80 % of what D1 takes: ${text.slice(0, 200)}`);
}
