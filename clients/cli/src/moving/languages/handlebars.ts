import { Blocks, type Language, output, quoted, Untold } from "./language";

/** The tags that SendGrid fills in itself. */
const own: Record<string, string> = {
  unsubscribe: "{{ unsubscribeUrl }}",
  unsubscribe_preferences: "{{ manageUrl }}",
};

const comparisons: Record<string, string> = {
  equals: "==",
  notEquals: "!=",
  greaterThan: ">",
  lessThan: "<",
  and: "and",
  or: "or",
};

const path = /^[A-Za-z_][\w-]*(\.[\w-]+)*$/;

/** SendGrid's subset of Handlebars, with the tags of its unsubscribe groups. */
export const handlebars: Language = {
  tag: /\{\{\{[\s\S]*?\}\}\}|\{\{!--[\s\S]*?--\}\}|\{\{[\s\S]*?\}\}|<%[\s\S]*?%>/g,
  open() {
    const blocks = new Blocks();
    const scopes = new Scopes();
    return { turn: (tag) => turnTag(tag, blocks, scopes), open: () => blocks.count };
  },
};

/** The open loops: their items have names in Liquid, but none in Handlebars. */
class Scopes {
  readonly #kinds: ("each" | "block")[] = [];

  begin(kind: "each" | "block"): string {
    this.#kinds.push(kind);
    return this.item();
  }

  end(): void {
    this.#kinds.pop();
  }

  /** Returns the name of the innermost item; empty outside of loops. */
  item(up = 0): string {
    const depth = this.#kinds.filter((kind) => kind === "each").length - up;
    if (depth < 0) throw new Untold("goes up further than there are loops");
    return depth === 0 ? "" : `item${depth === 1 ? "" : depth}`;
  }

  value(written: string): string {
    if (/^"[^"]*"$|^'[^']*'$|^-?\d+(\.\d+)?$|^(true|false)$/.test(written)) return written;
    if (written === "@index") return "forloop.index0";
    if (written === "@first" || written === "@last") return `forloop.${written.slice(1)}`;
    if (written.startsWith("@root.")) return checkedPath(written.slice("@root.".length), "");
    if (written === "this") return this.item() || refuse("stands for the item of a loop, and is in none");
    if (written.startsWith("../")) return checkedPath(written.slice("../".length), this.item(1));
    return checkedPath(written.replace(/^this\./, ""), this.item());
  }
}

function checkedPath(written: string, within: string): string {
  if (!path.test(written)) throw new Untold("is no variable");
  return within === "" ? written : `${within}.${written}`;
}

function refuse(why: string): never {
  throw new Untold(why);
}

function turnTag(tag: string, blocks: Blocks, scopes: Scopes): string {
  if (tag.startsWith("<%")) return groupTag(tag.slice(2, -2).trim());
  if (tag.startsWith("{{!")) return "";
  const isRaw = tag.startsWith("{{{");
  const said = tag.slice(isRaw ? 3 : 2, isRaw ? -3 : -2).trim();
  if (own[said] !== undefined) return own[said];
  if (said.startsWith("#")) return beginning(said.slice(1).trim(), blocks, scopes);
  if (said.startsWith("/")) {
    scopes.end();
    return blocks.end();
  }
  const [word = "", ...words] = wordsIn(said);
  if (word === "else") return otherwise(words, blocks, scopes);
  if (word === "insert") return inserted(words, scopes);
  if (word === "length" && words.length === 1) return output(`${scopes.value(words[0] ?? "")} | size`);
  if (words.length > 0) throw new Untold(`calls ${word}, which has no like here`);
  return isRaw ? output(`${scopes.value(word)} | raw`) : output(scopes.value(word));
}

function beginning(said: string, blocks: Blocks, scopes: Scopes): string {
  const [word = "", ...words] = wordsIn(said);
  if (word === "each") {
    const list = scopes.value(words[0] ?? "");
    return blocks.begin(`{% for ${scopes.begin("each")} in ${list} %}`, "endfor");
  }
  const isUnless = word === "unless";
  const condition = conditionOf(word, words, scopes);
  scopes.begin("block");
  return isUnless
    ? blocks.begin(`{% unless ${condition} %}`, "endunless")
    : blocks.begin(`{% if ${condition} %}`, "endif");
}

function otherwise(words: string[], blocks: Blocks, scopes: Scopes): string {
  if (words.length === 0) return blocks.middle("{% else %}");
  return blocks.middle(`{% elsif ${conditionOf(words[0] ?? "", words.slice(1), scopes)} %}`);
}

function conditionOf(word: string, words: string[], scopes: Scopes): string {
  const values = words.map((one) => scopes.value(one));
  if ((word === "if" || word === "unless") && values.length === 1) return values[0] ?? "";
  const operator = comparisons[word];
  if (operator === undefined || values.length !== 2) throw new Untold(`#${word} has no like here`);
  return values.join(` ${operator} `);
}

/** Converts `{{insert name "default=you"}}`. */
function inserted([variable = "", fallback = ""]: string[], scopes: Scopes): string {
  const [, text] = /^"default=([\s\S]*)"$/.exec(fallback) ?? [];
  if (text === undefined) throw new Untold('says no "default="');
  return `{{ ${scopes.value(variable)} ?? ${quoted(text)} }}`;
}

function groupTag(said: string): string {
  if (said === "asm_group_unsubscribe_raw_url" || said === "asm_global_unsubscribe_raw_url")
    return "{{ unsubscribeUrl }}";
  if (said === "asm_preferences_raw_url") return "{{ manageUrl }}";
  throw new Untold("has no like here");
}

function wordsIn(said: string): string[] {
  return said.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
}
