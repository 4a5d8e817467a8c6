import { analyzeSync } from "liquidjs";
import type { ParsedLiquid, Template } from "./render";

/**
 * The keys of a contact's data that templates may read, whichever branches are taken; null when they may read any. In
 * doubt a key counts as read: one that is kept too many costs a few bytes, one too few another mail.
 */
export function keysRead(templates: Template[]): Set<string> | null {
  const keys = new Set<string>();
  for (const { liquid } of templates) {
    const read = liquid ? keysOf(liquid) : none;
    if (read === null) return null;
    for (const key of read) keys.add(key);
  }
  return keys;
}

const none: ReadonlySet<string> = new Set();

/** A parsed template is used for many mails. */
const known = new WeakMap<ParsedLiquid, ReadonlySet<string> | null>();

function keysOf(liquid: ParsedLiquid): ReadonlySet<string> | null {
  const read = known.get(liquid);
  if (read !== undefined) return read;
  const keys = hidesNames(liquid.text) ? null : namedKeys(liquid);
  known.set(liquid, keys);
  return keys;
}

/**
 * What the analysis does not see: a name that is computed (`[key]`), a property of something in parentheses, and
 * expressions in strings (`where_exp`). Looked for in what stands between the openings and the last closing after each.
 */
function hidesNames(text: string): boolean {
  return text.split(/\{[{%]/).some((part, index) => {
    if (index === 0) return false;
    const inside = part.slice(0, Math.max(part.lastIndexOf("}}"), part.lastIndexOf("%}")));
    return /\[\s*(?!["'\d\s])|\)\s*[.[]|_exp\b/.test(inside);
  });
}

/** `increment` reads the name that it sets, so what a template sets itself counts too. */
function namedKeys({ nodes }: ParsedLiquid): Set<string> | null {
  const { variables, locals } = analyzeSync(nodes);
  const keys = new Set<string>();
  for (const { segments } of [...Object.values(variables).flat(), ...Object.values(locals).flat()]) {
    const path = segments.map(String);
    const [root = "", first] = path;
    if (root !== "data") keys.add(root);
    // All of it, or how much there is of it.
    else if (first === undefined || first === "size") return null;
    else keys.add(first).add(path.slice(1).join("."));
    // The literal key goes before the path.
    keys.add(path.join("."));
  }
  return keys;
}
