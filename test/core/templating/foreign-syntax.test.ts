import { expect, it } from "vitest";
import { TemplateSyntaxError } from "../../../src/core/templating/errors";
import { foreignTexts, refuseForeign } from "../../../src/core/templating/foreign-syntax";

it.each<[source: string, language: string, liquid: string]>([
  ["{{#if plan}}a{{/if}}", "Handlebars", "{% if plan %}…{% endif %}"],
  ["{{# if user.plan }}", "Handlebars", "{% if user.plan %}…{% endif %}"],
  ["{{#plan}}a{{/plan}}", "Handlebars", "{% if plan %}…{% endif %}"],
  ["{{#with user}}", "Handlebars", "{% if user %}…{% endif %}"],
  ["{{~#unless plan~}}", "Handlebars", "{% unless plan %}…{% endunless %}"],
  ["{{^plan}}", "Handlebars", "{% unless plan %}…{% endunless %}"],
  ["{{#each items}}", "Handlebars", "{% for item in items %}…{% endfor %}"],
  ["{{else}}", "Handlebars", "{% else %}"],
  ["{{ else if plan }}", "Handlebars", "{% elsif plan %}"],
  ["a{{/if}}", "Handlebars", "{% endif %}"],
  ["{{/each}}", "Handlebars", "{% endfor %}"],
  ["{{/unless}}", "Handlebars", "{% endunless %}"],
  ["{{! a comment }}", "Handlebars", "{% comment %}…{% endcomment %}"],
  ["{{> footer}}", "Handlebars", "the partial's content in its place"],
  ["{{{ html }}}", "Handlebars", "{{ html | raw }}"],
  ["{{ if .Plan }}a{{ end }}", "Go", "{% if Plan %}…{% endif %}"],
  ["{{- with .User.Plan -}}", "Go", "{% if User.Plan %}…{% endif %}"],
  ["{{ range .Items }}", "Go", "{% for item in Items %}…{% endfor %}"],
])("refuses %s, and says the Liquid for it", (source, language, liquid) => {
  expect(() => refuseForeign(source)).toThrow(TemplateSyntaxError);
  expect(() => refuseForeign(source)).toThrow(
    `This is ${language}, and templates here are Liquid: write ${liquid} (line 1`,
  );
});

it("says where the first one is", () => {
  expect(() => refuseForeign("<p>\n {{ a }} {{#if b}}")).toThrow(expect.objectContaining({ line: 2, column: 10 }));
});

it.each([
  "{{ plan }}",
  "{{ first name }}",
  "{{- if_paid -}}",
  '{{ "{{#if}}" }}',
  "{% if plan %}a{% else %}b{% endif %}",
  "{% raw %}{{#if plan}}{% endraw %}",
  "{% comment %}{{#if plan}}{% endcomment %}",
  "{{ .Plan }}",
  "#if plan, /if, else",
])("takes %s", (source) => {
  expect(() => refuseForeign(source)).not.toThrow();
});

it.each<[source: string, texts: string[]]>([
  ["Hi *|FNAME|*", ["*|FNAME|*", "{{ firstName }}"]],
  ["*|fname|*", ["{{ firstName }}"]],
  ["*|LNAME|*", ["{{ lastName }}"]],
  ["*|UNSUB|*", ["{{ unsubscribeUrl }}"]],
  ["*|COMPANY|*", ["{{ COMPANY }}"]],
  ["*|IF:VIP|*", ["{% if VIP %}…{% endif %}"]],
  ["*|LIST:ADDRESS|*", ["Replace it with its text."]],
  ["{{ .FirstName }}", ["Go", "{{ FirstName }}"]],
  ["{{ .User.Name | upcase }}", ["{{ User.Name | upcase }}"]],
])("warns of %s", (source, texts) => {
  const warned = foreignTexts(source);
  expect(warned).toHaveLength(1);
  for (const text of texts) expect(warned[0]).toContain(text);
});

it("warns once of the same thing, of five at most, and of nothing that is none", () => {
  expect(foreignTexts("*|FNAME|* and *|FNAME|*")).toHaveLength(1);
  expect(foreignTexts(Array.from({ length: 50 }, (_, n) => `*|TAG${n}|*`).join())).toHaveLength(5);
  expect(foreignTexts("2 *| 3 |* 4, a*|b, {{ plan }} {% raw %}{{ .X }}{% endraw %}")).toEqual([]);
});
