import { BadRequest } from "../../core/errors";
import type { JsonObject } from "../../core/json";
import type { Api } from "./api";
import { pick, rowsOf } from "./fields";

/** For each kind of resource, the API's list in which a tool finds it by name. */
const lists = { campaign: "/campaigns", template: "/templates", workflow: "/workflows", segment: "/segments" } as const;
type Kind = keyof typeof lists;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const mostSimilar = 10;

/**
 * Returns the id of a resource given by id or by exact name, ignoring case. Throws BadRequest unless exactly one
 * resource matches.
 */
export async function idOf(api: Api, kind: Kind, idOrName: string): Promise<string> {
  if (uuid.test(idOrName)) return idOrName;
  const found = await search(api, kind, idOrName);
  const exact = found.filter(({ name }) => isSame(String(name), idOrName));
  if (exact.length === 1) return String(exact[0]?.id);
  const similar = exact.length > 1 ? exact : found;
  throw new BadRequest(exact.length > 1 ? `Several ${kind}s have this name.` : `No ${kind} has exactly this name.`, {
    suggestion:
      similar.length > 0
        ? `Pass one of the ids in details.similar.`
        : `Pass the id of a ${kind}, or another part of its name to see similar ones.`,
    details: { asked: idOrName, similar },
  });
}

async function search(api: Api, kind: Kind, name: string): Promise<JsonObject[]> {
  // The list of segments has no search and no pages.
  const query = kind === "segment" ? {} : { search: name, pageSize: mostSimilar };
  const rows = rowsOf((await api.get(lists[kind], query)).data);
  const fitting = rows.filter((row) => kind !== "segment" || contains(String(row.name), name));
  return fitting.slice(0, mostSimilar).map((row) => pick(row, "id", "name", "status", "updatedAt"));
}

function contains(whole: string, part: string): boolean {
  return whole.toLowerCase().includes(part.toLowerCase());
}

function isSame(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Returns a contact given by id or address. Throws BadRequest when no contact has the address. */
export async function contactOf(api: Api, idOrAddress: string): Promise<JsonObject> {
  if (!idOrAddress.includes("@")) return api.get(`/contacts/${encodeURIComponent(idOrAddress)}`);
  const [contact] = rowsOf((await api.get("/contacts", { email: idOrAddress })).data);
  if (contact !== undefined) return contact;
  throw new BadRequest("No contact of this project has this address.", {
    suggestion: "Look for a part of the address with find_contacts.",
    details: { asked: idOrAddress },
  });
}
