import { TemplateSyntaxError } from "./errors";
import { positionAt } from "./position";
import { outputsOf } from "./syntax";

/** A placeholder of another template language: the language's name, and the equivalent Liquid. */
interface Foreign {
  language: string;
  liquid: string;
}

/** Reads the inside of `{{ … }}`. Null when it is, or may be, Liquid. */
type Reader = (inside: string) => Foreign | null;

function readerOf(language: string, pattern: RegExp, liquidOf: (...parts: string[]) => string): Reader {
  return (inside) => {
    const match = pattern.exec(inside);
    return match && { language, liquid: liquidOf(...match.slice(1).map(inLiquid)) };
  };
}

const maxShown = 60;

/** Returns the name without Go's leading dots, short enough to be shown. */
function inLiquid(expression = ""): string {
  const written = expression.trim().replace(/(^|\s)\.(?=\w)/g, "$1");
  return written.length > maxShown ? `${written.slice(0, maxShown).toWellFormed()}…` : written;
}

const loop = (list: string) => `{% for item in ${list} %}…{% endfor %}`;
const branch = (condition: string) => `{% if ${condition} %}…{% endif %}`;
const inverse = (condition: string) => `{% unless ${condition} %}…{% endunless %}`;

/**
 * Placeholders that Liquid refuses, or would read as a name without a value, so that a part meant for some recipients
 * would be sent to all.
 */
const refused: Reader[] = [
  readerOf("Handlebars", /^#\s*each\s+(.+)$/s, loop),
  readerOf("Handlebars", /^#\s*unless\s+(.+)$/s, inverse),
  readerOf("Handlebars", /^#\s*(?:if\s+|with\s+)?(.+)$/s, branch),
  readerOf("Handlebars", /^\^\s*(.+)$/s, inverse),
  readerOf("Handlebars", /^(?:\^|else)$/, () => "{% else %}"),
  readerOf("Handlebars", /^else\s+if\s+(.+)$/s, (condition) => `{% elsif ${condition} %}`),
  readerOf("Handlebars", /^\/\s*each$/, () => "{% endfor %}"),
  readerOf("Handlebars", /^\/\s*unless$/, () => "{% endunless %}"),
  readerOf("Handlebars", /^\//, () => "{% endif %}"),
  readerOf("Handlebars", /^>/, () => "the partial's content in its place"),
  readerOf("Handlebars", /^!/, () => "{% comment %}…{% endcomment %}"),
  readerOf("Handlebars", /^\{\s*(.+)$/s, (name) => `{{ ${name} | raw }}`),
  readerOf("Go", /^range\s+(\..+)$/s, loop),
  readerOf("Go", /^(?:if|with)\s+(\..+)$/s, branch),
];

const goName = readerOf("Go", /^(\.\w.*)$/s, (name) => `{{ ${name} }}`);

/**
 * Throws TemplateSyntaxError for the first placeholder of another language that Liquid would not read in the same way.
 */
export function refuseForeign(source: string): void {
  for (const { opening, inside } of outputsOf(source)) {
    const found = first(refused, inside);
    if (found === null) continue;
    const reason = `This is ${found.language}, and templates here are Liquid: write ${found.liquid}`;
    throw new TemplateSyntaxError(reason, positionAt(source, opening));
  }
}

function first(readers: Reader[], inside: string): Foreign | null {
  // Tildes are removed, because Handlebars uses them to trim spaces.
  const bare = inside.replace(/^~|~$/g, "").trim();
  for (const read of readers) {
    const found = read(bare);
    if (found !== null) return found;
  }
  return null;
}

const mostNamed = 5;

/**
 * Returns sentences about the placeholders of other languages that are not refused: each placeholder once, and at most
 * `mostNamed` of them.
 */
export function foreignTexts(source: string): string[] {
  return [...new Set([...mergeTags(source), ...goNames(source)])].slice(0, mostNamed);
}

function* goNames(source: string): Generator<string> {
  for (const { inside } of outputsOf(source)) {
    const found = goName(inside);
    if (found) yield `{{ ${inside} }} is Go syntax. It is read as ${found.liquid}, the equivalent Liquid.`;
  }
}

const mergeTag = /\*\|([A-Z][\w:+ -]{0,60})\|\*/gi;

const liquidOfTags = new Map([
  ["FNAME", "{{ firstName }}"],
  ["LNAME", "{{ lastName }}"],
  ["EMAIL", "{{ email }}"],
  ["UNSUB", "{{ unsubscribeUrl }}"],
  ["UPDATE_PROFILE", "{{ manageUrl }}"],
  ["END:IF", "{% endif %}"],
  ["ELSE:", "{% else %}"],
]);

function* mergeTags(source: string): Generator<string> {
  for (const [tag, name = ""] of source.matchAll(mergeTag)) {
    const condition = /^IF:(.+)$/i.exec(name)?.[1];
    const own = /^\w+$/.test(name) ? `{{ ${name} }}` : null;
    const liquid = liquidOfTags.get(name.toUpperCase()) ?? (condition ? branch(condition) : own);
    const advice = liquid === null ? "Replace it with its text." : `The equivalent Liquid is ${liquid}.`;
    yield `${tag} is a merge tag of Mailchimp, and is sent unchanged. ${advice}`;
  }
}
