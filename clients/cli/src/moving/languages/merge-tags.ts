import { keyOf } from "../table";
import { Blocks, type Language, output, quoted, Untold } from "./language";

/** The tags that Mailchimp fills in itself. */
const own: Record<string, string> = {
  EMAIL: "{{ email }}",
  UNSUB: "{{ unsubscribeUrl }}",
  UPDATE_PROFILE: "{{ manageUrl }}",
  CURRENT_YEAR: '{{ "now" | date: "%Y" }}',
};

/** The fields that each audience has by default, with the keys of the data here. */
export const usualFields: Record<string, string> = { FNAME: "firstName", LNAME: "lastName" };

const cases: Record<string, string> = { TITLE: "capitalize", UPPER: "upcase", LOWER: "downcase" };

/** Mailchimp's tags: `*|FNAME|*`, `*|IF:PLAN=pro|* … *|ELSE:|* … *|END:IF|*`. The fields are those of the audience. */
export function mergeTags(fields: ReadonlyMap<string, string>): Language {
  return {
    tag: /\*\|[\s\S]*?\|\*/g,
    open() {
      const blocks = new Blocks();
      return {
        turn: (tag) => turnTag(tag.slice(2, -2).trim(), blocks),
        open: () => blocks.count,
      };
    },
  };

  function turnTag(tag: string, blocks: Blocks): string {
    const [word = "", rest] = splitOnce(tag, ":");
    if (own[tag] !== undefined) return own[tag];
    if (word === "IF") return blocks.begin(`{% if ${condition(rest)} %}`, "endif");
    if (word === "IFNOT") return blocks.begin(`{% unless ${condition(rest)} %}`, "endunless");
    if (word === "ELSEIF") return blocks.middle(`{% elsif ${condition(rest)} %}`);
    if (word === "ELSE") return blocks.middle("{% else %}");
    if (tag === "END:IF") return blocks.end();
    const filter = cases[word];
    return filter === undefined ? output(keyOfField(tag)) : `{{ ${keyOfField(rest)} | ${filter} }}`;
  }

  function keyOfField(tag: string): string {
    const key = fields.get(tag) ?? usualFields[tag];
    if (key === undefined) throw new Untold("is no field of the audience, and no tag that has its like here");
    return key;
  }

  function condition(said: string): string {
    const [, tag = "", operator, value = ""] = /^(\w+)\s*(!=|>=|<=|=|>|<)?\s*([\s\S]*)$/.exec(said) ?? [];
    const key = tag === "EMAIL" ? "email" : keyOfField(tag);
    if (operator === undefined) return key;
    const compared = /^-?\d+(\.\d+)?$/.test(value) ? value : quoted(value);
    return `${key} ${operator === "=" ? "==" : operator} ${compared}`;
  }
}

/** Returns the data key for a field's values, derived from its name. */
export function keyOfField(tag: string, name: string): string {
  return usualFields[tag] ?? keyOf(name);
}

function splitOnce(text: string, by: string): [before: string, after: string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
