import { expect, it } from "vitest";
import { missingVariables } from "../../../src/core/templating/missing";
import { parseTemplate } from "../../../src/core/templating/render";
import { templateVariables } from "../../../src/core/templating/variables";

const contact = { id: "c1", email: "ada@example.com", subscribed: true, data: {} };

function missing(source: string, data: Record<string, unknown> = {}): string[] {
  const variables = templateVariables({ contact, ownData: data });
  return missingVariables([parseTemplate(source, "html")], variables);
}

it.each<[what: string, source: string, data: Record<string, unknown>, names: string[]]>([
  ["nothing in plain text", "<p>Hello</p>", {}, []],
  ["a name without a value", "{{ plan }}", {}, ["plan"]],
  ["not one with a value", "{{ plan }}", { plan: "pro" }, []],
  ["null and the empty string", "{{ a }}{{ b }}", { a: null, b: "" }, ["a", "b"]],
  ["not false and zero", "{{ a }}{{ b }}", { a: false, b: 0 }, []],
  ["a name once", "{{ a }}{{ a }}{% if a %}{% endif %}", {}, ["a"]],
  ["not what is built in", "{{ email }} {{ id }} {{ data }}", {}, []],
  ["a path", "{{ profile.tier }}", { profile: { name: "x" } }, ["profile.tier"]],
  ["not a path with a value", "{{ profile.tier }}", { profile: { tier: 1 } }, []],
  ["not a literal dotted key", "{{ profile.tier }}", { "profile.tier": 1 }, []],
  ["an index", "{{ items[0].name }}", { items: [] }, ["items[0].name"]],
  ["a name with blanks", "{{ first name }}", {}, ["first name"]],
  ["not a name with blanks and a value", '{{ first name }}{{ data["first name"] }}', { "first name": "A" }, []],
  ["every link of a chain", '{{ a ?? b ?? "c" | upcase }}', { b: 1 }, ["a"]],
  ["names in filters", "{{ 'x' | append: tail }}", {}, ["tail"]],
  ["names in conditions", "{% if vip and plan == 'pro' %}x{% endif %}", {}, ["vip", "plan"]],
  ["branches that are not taken", "{% if false %}{{ a }}{% else %}{{ b }}{% endif %}", {}, ["a", "b"]],
  [
    "not what a loop names",
    "{% for item in items %}{{ item.name }}{{ forloop.index }}{% endfor %}",
    { items: [1] },
    [],
  ],
  ["the list of a loop", "{% for item in items %}{{ item }}{% endfor %}", {}, ["items"]],
  ["the ends of a range", "{% for i in (1..n) %}{{ i }}{% endfor %}", {}, ["n"]],
  ["not what the template sets", "{% assign a = 1 %}{% capture b %}x{% endcapture %}{{ a }}{{ b }}", {}, []],
  ["a key that is looked up, and not what it finds", "{{ prices[currency].net }}", { prices: {} }, ["currency"]],
  ["not what stands in raw", "{% raw %}{{ a }}{% endraw %}", {}, []],
  ["not what stands in a comment", "{% comment %}{{ a }}{% endcomment %}", {}, []],
  ["prototype names like any others", "{{ constructor }}{{ __proto__ }}", {}, ["constructor", "__proto__"]],
  ["cases", "{% case a %}{% when b %}x{% endcase %}", {}, ["a", "b"]],
])("lists %s", (_, source, data, names) => {
  expect(missing(source, data).sort()).toEqual(names.sort());
});
