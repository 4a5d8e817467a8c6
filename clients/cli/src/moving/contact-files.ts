import Papa from "papaparse";
import type { Person } from "./account";

/** A CSV file of people, as the service imports it. */
export interface ContactFile {
  people: Person[];
  csv: string;
}

/** The values that each row contains in addition to the address. */
export interface Columns {
  subscription: boolean;
  times: boolean;
  data: boolean;
  /** Slugs with `|` between them; undefined to leave the contact's own. */
  topicsOf?: (person: Person) => string | undefined;
}

const mostRows = 20_000;
const mostBytes = 4_500_000;

/** Names that an import with all columns uses for the contact itself, or drops. */
const ownNames = new Set([
  ...["email", "subscribed", "createdat", "updatedat", "confirmedat", "optedoutat", "snoozeduntil", "source", "topics"],
  ...["id", "service_id", "service_email", "unsubscribeurl", "subscribeurl", "manageurl"],
]);

/** Returns the key for a person's data. Names that the service uses itself are changed. */
export function keyHere(key: string): string {
  return ownNames.has(key.toLowerCase()) ? `old${key.charAt(0).toUpperCase()}${key.slice(1)}` : key;
}

/** Writes people into files, each small enough for one import. */
export function* contactFiles(people: readonly Person[], columns: Columns): Generator<ContactFile> {
  let [page, bytes]: [Person[], number] = [[], 0];
  for (const person of people) {
    const size = columns.data ? 200 + Buffer.byteLength(JSON.stringify(person.data)) : 200;
    if (page.length === mostRows || (page.length > 0 && bytes + size > mostBytes)) {
      yield { people: page, csv: csvOf(page, columns) };
      [page, bytes] = [[], 0];
    }
    page.push(person);
    bytes += size;
  }
  if (page.length > 0) yield { people: page, csv: csvOf(page, columns) };
}

function csvOf(people: Person[], { subscription, times, data, topicsOf }: Columns): string {
  const keys = data ? [...new Set(people.flatMap((person) => Object.keys(person.data)))] : [];
  const fields = [
    "email",
    ...(subscription ? ["subscribed"] : []),
    ...(times ? ["createdAt", "confirmedAt", "optedOutAt"] : []),
    ...(topicsOf ? ["topics"] : []),
    ...keys.map(keyHere),
  ];
  const rows = people.map((person) => [
    person.email,
    ...(subscription ? [person.state === "subscribed" ? "yes" : "no"] : []),
    ...(times ? [person.createdAt, person.confirmedAt, person.optedOutAt] : []),
    ...(topicsOf ? [topicsOf(person)] : []),
    ...keys.map((key) => cellOf(person.data[key])),
  ]);
  return Papa.unparse({ fields, data: rows });
}

/** Returns a cell. Lists and objects do not fit into one: see `nestedIn`. */
function cellOf(value: unknown): string | undefined {
  return value === undefined || value === null || typeof value === "object" ? undefined : String(value);
}

/** Returns the part of a person's data that does not fit into cells. */
export function nestedIn({ data }: Person): Record<string, unknown> | undefined {
  const nested = Object.entries(data).filter(([, value]) => typeof value === "object" && value !== null);
  return nested.length === 0 ? undefined : Object.fromEntries(nested.map(([key, value]) => [keyHere(key), value]));
}
