import type { KeyedOptions, VersionedOptions } from "./call.js";
import { isObject } from "./errors.js";
import { type Answered, type Request, request, type Settings } from "./request.js";

type Query = Record<string, unknown>;

/** Returns the methods of a group: `paths` is its part of the table of operations. */
export function methodsOf(settings: Settings, group: string, paths: Record<string, string>) {
  const methods = Object.entries(paths).map(([name, operation]) => {
    const [method = "", path = "", flags = ""] = operation.split(" ");
    const own = { method, isForm: flags.includes("f"), isBytes: flags.includes("o"), isKeyed: flags.includes("k") };
    function run(...given: unknown[]) {
      const filled = path.replace(/\{(\w+)\}/g, (_, part) =>
        segmentOf(given.shift(), `${group}.${name} needs ${part}`),
      );
      const body = flags.includes("b") ? given.shift() : undefined;
      // The interface of the operations defines the order of the arguments.
      const query = flags.includes("q") ? (given.shift() as Query | undefined) : undefined;
      return start(settings, {
        ...own,
        path: filled,
        body,
        query,
        options: (given.shift() ?? {}) as KeyedOptions & VersionedOptions,
      });
    }
    return [name, run] as const;
  });
  return Object.fromEntries(methods);
}

/** An empty segment, or one of dots, would turn the call into one to another path. */
function segmentOf(value: unknown, need: string): string {
  if (typeof value !== "string" || /^\.{0,2}$/.test(value)) throw new TypeError(need);
  return encodeURIComponent(value);
}

function start(settings: Settings, call: Request) {
  const answered = request(settings, call);
  const data = answered.then((answer) => answer.data);
  // If one of these methods is used, the error is reported there. The promise itself is then not awaited, and must not
  // report the error as unhandled.
  const handOver = () => data.catch(() => {});
  return Object.assign(data, {
    withResponse() {
      handOver();
      return answered;
    },
    [Symbol.asyncIterator]() {
      handOver();
      return items(settings, call, answered);
    },
  });
}

async function* items(settings: Settings, call: Request, first: Promise<Answered>) {
  for (let answered = await first; ; ) {
    const found = itemsOf(answered.data);
    yield* found;
    const next = afterPage(answered.data, found.length);
    if (next === undefined) return;
    answered = await request(settings, { ...call, query: { ...call.query, ...next } });
  }
}

/** A list is an array, or an object with one array apart from the warnings. */
function itemsOf(page: unknown): unknown[] {
  if (Array.isArray(page)) return page;
  const lists = Object.entries(page ?? {}).filter(([name, value]) => name !== "warnings" && Array.isArray(value));
  return lists[0]?.[1] ?? [];
}

/** Returns the query for the page after this one; undefined after the last. */
function afterPage(page: unknown, count: number): Query | undefined {
  if (!isObject(page)) return undefined;
  if (page.hasMore === true) return { cursor: page.cursor };
  return count > 0 && count === page.pageSize ? { page: Number(page.page) + 1 } : undefined;
}
