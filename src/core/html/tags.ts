/** A start tag or an end tag. */
export interface Tag {
  /** In small letters. */
  name: string;
  isEnd: boolean;
  start: number;
  end: number;
  /** The values by the names in small letters. The first of several counts. Null for an attribute without a value. */
  attributes: ReadonlyMap<string, AttributeValue | null>;
}

/** The value of an attribute, and where it is, including its quotes. */
interface AttributeValue {
  raw: string;
  start: number;
  end: number;
}

/**
 * Calls `see` with every tag, in order. It reads HTML as browsers do (the tokenization of the HTML standard), so that
 * markup in a comment, in a style sheet or in an attribute does not count. Only tags of `wanted` elements have their
 * attributes. Returns where the HTML ends, or where something begins that never ends. Each step moves forward, so the
 * time is linear in the length.
 */
export function eachTag(html: string, wanted: ReadonlySet<string>, see: (tag: Tag) => void): number {
  for (let at = html.indexOf("<"); at >= 0; ) {
    const end = endOfMarkup(html, at, wanted, see);
    if (end === null) return at;
    at = html.indexOf("<", end);
  }
  return html.length;
}

/** Elements whose content is text to a browser. After `plaintext`, everything is text. */
const rawElements = new Set([
  ...["style", "script", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "plaintext"],
]);

// HTML knows five kinds of white space. A quoted value that does not end takes the rest.
const tagName = /<(\/?)([a-z][^\t\n\f\r />]*)/iy;
const attribute =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\t\n\f\r >"'][^\t\n\f\r >]*|(?=>))))?/y;
const tagEnd = /[\t\n\f\r /]*>/y;
/** The rest of a tag where quotes stand around values alone. Most tags end so. */
const plainRest = /[^"'<>=]*(?:=(?:[\t\n\f\r ]*"[^"]*"|[\t\n\f\r ]*'[^']*')?[^"'<>=]*)*>/y;

/** Returns where the markup that begins with this `<` ends, for a raw element with its content; null when it does not. */
function endOfMarkup(html: string, at: number, wanted: ReadonlySet<string>, see: (tag: Tag) => void): number | null {
  if (html.startsWith("<!--", at)) return behind(html, "-->", at + 2);
  const found = matchAt(tagName, html, at);
  // A `<` before anything but a letter is text; `<!`, `<?` and `</` begin a comment that ends with `>`.
  if (found === null) return /[!?/]/.test(html.charAt(at + 1)) ? behind(html, ">", at) : at + 1;
  const [whole, slash, written = ""] = found;
  const name = written.toLowerCase();
  const { attributes, end } = restOfTag(html, at + whole.length, slash === "" && wanted.has(name));
  if (end === null) return null;
  see({ name, isEnd: slash !== "", start: at, end, attributes });
  return slash === "" && rawElements.has(name) ? endOfRaw(html, name, end) : end;
}

function behind(html: string, closer: string, from: number): number | null {
  const found = html.indexOf(closer, from);
  return found < 0 ? null : found + closer.length;
}

function endOfRaw(html: string, name: string, from: number): number | null {
  if (name === "plaintext") return null;
  const endTag = new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, "gi");
  endTag.lastIndex = from;
  return endTag.exec(html)?.index ?? null;
}

type Attributes = Map<string, AttributeValue | null>;

const nothing: Attributes = new Map();

/** The end is null when the tag does not end. */
function restOfTag(html: string, from: number, isWanted: boolean): { attributes: Attributes; end: number | null } {
  const plain = isWanted ? null : matchAt(plainRest, html, from);
  if (plain) return { attributes: nothing, end: from + plain[0].length };
  const attributes: Attributes = new Map();
  for (let at = from; ; ) {
    const end = matchAt(tagEnd, html, at);
    if (end) return { attributes, end: at + end[0].length };
    const found = matchAt(attribute, html, at);
    if (found === null) return { attributes, end: null };
    at += found[0].length;
    const name = found[1]?.toLowerCase() ?? "";
    if (isWanted && !attributes.has(name)) attributes.set(name, readValue(found, at));
  }
}

function readValue([, , inDouble, inSingle, bare]: RegExpExecArray, end: number): AttributeValue | null {
  const raw = inDouble ?? inSingle ?? bare;
  if (raw === undefined) return null;
  return { raw, start: end - raw.length - (bare === undefined ? 2 : 0), end };
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
