import { createHash } from "node:crypto";

// The keys by which two list entries of a wrangler configuration are the same thing.
const IDENTITIES = ["binding", "queue", "tag", "name", "pattern"];
// The keys whose values contain the installation's name: `petrel`, or `petrel-` and more.
const NAMES = ["name", "database_name", "bucket_name", "queue", "dead_letter_queue"];

/**
 * Merges an installation's configuration over ours. Tables are merged, and list entries by their binding or name;
 * everything else is replaced. Another `name` renames the Worker and all that it owns, so that an account can hold two
 * installations.
 */
export function mergeConfig(ours, own) {
  const base = own.name === undefined || own.name === ours.name ? ours : rename(ours, ours.name, own.name);
  return merge({ ...base, ratelimits: ownCounters(base) }, own);
}

/**
 * Gives each installation rate limit counters of its own, derived from its name, because the counters of an account are
 * shared by number.
 */
function ownCounters({ name, ratelimits = [] }) {
  return ratelimits.map((limit) => {
    const hash = createHash("sha256").update(`${name} ${limit.name}`).digest();
    return { ...limit, namespace_id: String(1 + (hash.readUInt32BE() >>> 1)) };
  });
}

function rename(node, from, to) {
  if (Array.isArray(node)) return node.map((item) => rename(item, from, to));
  if (!isTable(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      const isName =
        NAMES.includes(key) && typeof value === "string" && (value === from || value.startsWith(`${from}-`));
      return [key, isName ? to + value.slice(from.length) : rename(value, from, to)];
    }),
  );
}

function merge(ours, own) {
  if (isTable(ours) && isTable(own)) {
    const merged = Object.entries(own).map(([key, value]) => [
      key,
      Object.hasOwn(ours, key) ? merge(ours[key], value) : value,
    ]);
    return { ...ours, ...Object.fromEntries(merged) };
  }
  if (isTableList(ours) && isTableList(own)) return mergeLists(ours, own);
  return own;
}

function mergeLists(ours, own) {
  const merged = [...ours];
  for (const entry of own) {
    const at = merged.findIndex((candidate) => isSame(candidate, entry));
    if (at === -1) merged.push(entry);
    else merged[at] = merge(merged[at], entry);
  }
  return merged;
}

function isSame(one, other) {
  const key = IDENTITIES.find((name) => Object.hasOwn(other, name));
  return key !== undefined && one[key] === other[key];
}

function isTable(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTableList(value) {
  return Array.isArray(value) && value.every(isTable);
}
