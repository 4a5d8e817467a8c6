import { Blocks, type Language, output, Untold } from "./language";

const variables: Record<string, string> = {
  ".Subscriber.Email": "email",
  ".Subscriber.Name": "name",
  ".Subscriber.FirstName": 'name | split: " " | first',
  ".Subscriber.LastName": 'name | split: " " | last',
};

/** The variables that listmonk fills in itself, by name. Opens and clicks are counted here without tags. */
const own: Record<string, string> = {
  UnsubscribeURL: "{{ unsubscribeUrl }}",
  ManageURL: "{{ manageUrl }}",
  TrackView: "",
};

const comparisons: Record<string, string> = { eq: "==", ne: "!=", gt: ">", ge: ">=", lt: "<", le: "<=" };

/** listmonk's templates, which are Go's: `{{ .Subscriber.Attribs.city }}`, `{{ if … }} … {{ end }}`. */
export const goTemplates: Language = {
  tag: /\{\{-?[\s\S]*?-?\}\}|@TrackLink\b/g,
  open() {
    const blocks = new Blocks();
    return { turn: (tag) => turnTag(tag, blocks), open: () => blocks.count };
  },
};

function turnTag(tag: string, blocks: Blocks): string {
  if (tag === "@TrackLink") return "";
  const said = tag.slice(2, -2).replace(/^-|-$/g, "").trim();
  if (said.startsWith("/*")) return "";
  const [word = "", ...words] = said.match(/"[^"]*"|`[^`]*`|\S+/g) ?? [];
  const isBare = words.length === 0 || (words.length === 1 && words[0] === ".");
  if (own[word] !== undefined && isBare) return own[word];
  if (word === "TrackLink" && words[0]) return words[0].slice(1, -1);
  if (word === "if") return blocks.begin(`{% if ${conditionOf(words)} %}`, "endif");
  if (word === "range") return blocks.begin(`{% for item in ${listOf(words)} %}`, "endfor");
  if (word === "else")
    return blocks.middle(words[0] === "if" ? `{% elsif ${conditionOf(words.slice(1))} %}` : "{% else %}");
  if (word === "end") return blocks.end();
  if (words.length > 0) throw new Untold(`calls ${word}, which has no like here`);
  return output(word === "." && blocks.count > 0 ? "item" : liquidOf(word));
}

function conditionOf(words: string[]): string {
  // Drops the filter that takes the first name out of a name: there is a first name whenever there is a name.
  if (words.length === 1) return liquidOf(words[0] ?? "").replace(/ \|.*/, "");
  const [word = "", one = "", other = ""] = words;
  if (word === "not" && words.length === 2) return `${plainLiquidOf(one)} == false or ${plainLiquidOf(one)} == nil`;
  const operator = comparisons[word];
  if (operator === undefined || words.length !== 3) throw new Untold(`asks ${words.join(" ")}, which has no like here`);
  return [one, other].map(plainLiquidOf).join(` ${operator} `);
}

function plainLiquidOf(written: string): string {
  const value = liquidOf(written);
  if (value.includes("|")) throw new Untold("compares part of a name, which has no like here");
  return value;
}

function listOf(words: string[]): string {
  if (words.length !== 1) throw new Untold("names the items of its loop, which has no like here");
  return liquidOf(words[0] ?? "");
}

function liquidOf(written: string): string {
  if (/^"[^"]*"$|^-?\d+(\.\d+)?$|^(true|false)$/.test(written)) return written;
  const known = variables[written];
  if (known !== undefined) return known;
  const [, path] = /^\.(?:Subscriber\.Attribs|Tx\.Data)\.(\w+(?:\.\w+)*)$/.exec(written) ?? [];
  if (path === undefined) throw new Untold("is no variable of a subscriber");
  return path;
}
