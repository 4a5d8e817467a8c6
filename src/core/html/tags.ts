/** A start tag or an end tag. */
export interface Tag {
  /** The name of the element, in lower case. */
  name: string;
  isEnd: boolean;
  start: number;
  end: number;
  /**
   * The values of the attributes, by lower-case name. When an attribute is repeated, the first one counts. Null for an
   * attribute without a value.
   */
  attributes: ReadonlyMap<string, AttributeValue | null>;
}

/** The value of an attribute, and its position in the HTML, which includes the quotes. */
interface AttributeValue {
  raw: string;
  start: number;
  end: number;
}

/**
 * Calls `see` with every tag, in order. It reads HTML as browsers do (the tokenization of the HTML standard), so markup
 * in a comment, in a style sheet or in an attribute does not count. Attributes are read only for the elements in
 * `wanted`. Returns the position of the end of the HTML, or of the first construct that is never closed. Each step
 * moves forward, so the time is linear in the length.
 */
export function eachTag(html: string, wanted: ReadonlySet<string>, see: (tag: Tag) => void): number {
  for (let at = html.indexOf("<"); at >= 0; ) {
    const end = endOfMarkup(html, at, wanted, see);
    if (end === null) return at;
    at = html.indexOf("<", end);
  }
  return html.length;
}

/** Elements whose content browsers read as text. After `plaintext`, everything is text. */
const rawElements = new Set([
  ...["style", "script", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "plaintext"],
]);

// HTML knows five kinds of white space. A quoted value that is never closed extends to the end of the HTML.
const tagName = /<(\/?)([a-z][^\t\n\f\r />]*)/iy;
const attribute =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\t\n\f\r >"'][^\t\n\f\r >]*|(?=>))))?/y;
const tagEnd = /[\t\n\f\r /]*>/y;
/** The rest of a tag in which only values are quoted. Most tags match this fast path. */
const plainRest = /[^"'<>=]*(?:=(?:[\t\n\f\r ]*"[^"]*"|[\t\n\f\r ]*'[^']*')?[^"'<>=]*)*>/y;

/**
 * Returns the end of the markup that begins with this `<`; null when it is never closed. The markup of a raw element
 * includes its content.
 */
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

/** Reads the attributes of a tag. The end is null when the tag is never closed. */
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
