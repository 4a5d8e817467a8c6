import { analyzeSync } from "liquidjs";
import type { ParsedLiquid, Template } from "./render";

/**
 * Returns the keys of a contact's data that templates may read, in any branch; null when they may read any key. When in
 * doubt, a key counts as read: an extra key costs a few bytes, but a missing one changes the mail.
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

/** Cached, because a parsed template is used for many emails. */
const known = new WeakMap<ParsedLiquid, ReadonlySet<string> | null>();

function keysOf(liquid: ParsedLiquid): ReadonlySet<string> | null {
  const read = known.get(liquid);
  if (read !== undefined) return read;
  const keys = hidesNames(liquid.text) ? null : namedKeys(liquid);
  known.set(liquid, keys);
  return keys;
}

/**
 * Whether a text contains names that the analysis cannot see: a computed name (`[key]`), a property of something in
 * parentheses, or an expression in a string (`where_exp`). It checks the text from each `{{` or `{%` to the last `}}`
 * or `%}` before the next `{{` or `{%`.
 */
function hidesNames(text: string): boolean {
  return text.split(/\{[{%]/).some((part, index) => {
    if (index === 0) return false;
    const inside = part.slice(0, Math.max(part.lastIndexOf("}}"), part.lastIndexOf("%}")));
    return /\[\s*(?!["'\d\s])|\)\s*[.[]|_exp\b/.test(inside);
  });
}

/**
 * Returns the keys that a template names; null when it may read any key. Names that the template sets count too,
 * because `increment` reads the name that it sets.
 */
function namedKeys({ nodes }: ParsedLiquid): Set<string> | null {
  const { variables, locals } = analyzeSync(nodes);
  const keys = new Set<string>();
  for (const { segments } of [...Object.values(variables).flat(), ...Object.values(locals).flat()]) {
    const written = segments.map(String);
    // In workflows, `contact` means the contact, but it may also be a key of the data.
    const isOfContact = written[0] === "contact";
    if (isOfContact) keys.add("contact").add(written.join("."));
    const path = isOfContact ? written.slice(1) : written;
    const [root, first] = path;
    if (root === undefined) return null;
    if (root !== "data") keys.add(root);
    // The template uses the whole of `data`, or its size, so it may read any key.
    else if (first === undefined || first === "size") return null;
    else keys.add(first).add(path.slice(1).join("."));
    // The literal key counts too, because it takes precedence over the path.
    keys.add(path.join("."));
  }
  return keys;
}
