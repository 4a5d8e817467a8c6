import { expect, it } from "vitest";
import { keysRead } from "../../../src/core/templating/keys-read";
import { parseTemplate } from "../../../src/core/templating/render";

function read(source: string): string[] | null {
  const keys = keysRead([parseTemplate("Hello {{ name }}", "text"), parseTemplate(source, "html")]);
  return keys && [...keys].filter((key) => key !== "name").sort();
}

it.each<[what: string, source: string, keys: string[]]>([
  ["nothing of plain text", "<style>a[href] { }</style><p>[Acme] (x).y</p>", []],
  ["a name", "{{ plan }}", ["plan"]],
  ["a name under data", "{{ data.plan }}", ["data.plan", "plan"]],
  ["a quoted name", '{{ data["first name"] }}', ["data.first name", "first name"]],
  ["a name with blanks", "{{ first name }}", ["first name"]],
  ["a path, and the literal key", "{{ profile.tier }}", ["profile", "profile.tier"]],
  ["a path under data", "{{ data.profile.tier }}", ["data.profile.tier", "profile", "profile.tier"]],
  ["a path under the contact's data", "{{ contact.data.plan }}", ["contact", "contact.data.plan", "data.plan", "plan"]],
  ["an index", "{{ items[0].name }}", ["items", "items.0.name"]],
  ["every link of a chain", '{{ a ?? b ?? "c" }}', ["a", "b"]],
  ["branches that are not taken", "{% if false %}{{ a }}{% elsif b %}{% endif %}", ["a", "b"]],
  ["the list of a loop", "{% for item in items limit: n %}{{ item.x }}{% endfor %}", ["item", "item.x", "items", "n"]],
  ["what filters take", "{{ 'x' | append: tail }}", ["tail"]],
  ["what is counted up from its value", "{% increment visits %}", ["visits"]],
  ["what is assigned from", "{% assign x = plan %}{{ x }}", ["plan", "x"]],
])("lists %s", (_, source, keys) => {
  expect(read(source)).toEqual(keys);
});

it.each([
  ["data as a whole", "{{ data | json }}"],
  ["its size", "{{ data.size }}"],
  ["a loop over it", "{% for pair in data %}{{ pair }}{% endfor %}"],
  ["the contact as a whole", "{{ contact | json }}"],
  ["a loop over its data", "{% for pair in contact.data %}{{ pair }}{% endfor %}"],
  ["a key that is looked up", "{{ data[key] }}"],
  ["a name that is looked up", "{{ [key] }}"],
  ["one behind a string with braces", '{{ "}}" | append: [key] }}'],
  ["a property of something in parentheses", "{{ (a ?? b).c }}"],
  ["an expression in a string", "{{ items | where_exp: 'item', 'item.x == plan' }}"],
])("may read any key: %s", (_, source) => {
  expect(read(source)).toBeNull();
});
