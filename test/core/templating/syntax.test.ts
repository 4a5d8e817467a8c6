import { expect, it } from "vitest";
import { TemplateSyntaxError } from "../../../src/core/templating/errors";
import { toLiquid } from "../../../src/core/templating/syntax";

it.each<[source: string, liquid: string]>([
  ["{{ a ?? b }}", "{{ (a ?? b) }}"],
  ["{{a??b}}", "{{(a ?? b)}}"],
  ['{{ a ?? b ?? "c" | upcase }}', '{{ (a ?? b ?? "c") | upcase }}'],
  ["{{ x | append: a ?? b }}", "{{ x | append: (a ?? b) }}"],
  ["{{ a.b[0].c ?? d['e'] }}", "{{ (a.b[0].c ?? d['e']) }}"],
  ["{{ a ?? -1.5 }}", "{{ (a ?? -1.5) }}"],
  ["{{ (1..n ?? 3) }}", "{{ (1..(n ?? 3)) }}"],
  ["{{- a ?? b -}}", "{{- (a ?? b) -}}"],
  ["{% if a ?? b == c %}", "{% if (a ?? b) == c %}"],
  ["{%- assign x = a ?? b -%}", "{%- assign x = (a ?? b) -%}"],
  ["{% for i in a ?? b limit: n ?? 2 %}", "{% for i in (a ?? b) limit: (n ?? 2) %}"],
  ["{% liquid\n echo a ?? b\n%}", "{% liquid\n echo (a ?? b)\n%}"],
  ["{{first name}}", '{{["first name"]}}'],
  ["{{ first\n  name }}", '{{ ["first name"] }}'],
  ["{{ data.first name }}", '{{ data["first name"] }}'],
  ["{{ a.shoe size.eu }}", '{{ a["shoe size"].eu }}'],
  ["{{ date of birth | date: day format }}", '{{ ["date of birth"] | date: ["day format"] }}'],
  ["{{ first name ?? last name }}", '{{ (["first name"] ?? ["last name"]) }}'],
  ["{{ Größe des Hemds }}", '{{ ["Größe des Hemds"] }}'],
  ["{% if first name == last name %}", '{% if ["first name"] == ["last name"] %}'],
  ["{% assign x = first name %}", '{% assign x = ["first name"] %}'],
])("rewrites %j to %j", (source, liquid) => {
  expect(toLiquid(source).text).toBe(liquid);
});

it.each([
  "no Liquid at all ?? first name",
  "a ?? b {{ a }} c ?? d",
  '{{ "a ?? b" }}',
  "{{ 'first name' }}",
  '{{ "}} ?? {{" | append: "\\" ?? b" }}',
  '{{ data["a ?? b"] }}',
  "{{ a and b or not c contains d }}",
  "{{ a? }}",
  "{{ 1.5 }}",
  "{{ x | slice: 1, 2 | upcase }}",
  "{% for item in items limit: 3 reversed %}",
  "{% cycle group: a, b %}",
  "{% raw %}{{ a ?? b }} {{ first name }}{% endraw %}",
  "{%- raw -%}{{ a ?? }}{% endraw %}",
  "{% # a ?? b ?? %}",
  "{{ a ?? b",
  '{{ "a ?? b }}',
  "{% if a ?? b",
  "{% raw %}{{ a ?? b }}",
])("leaves %j alone", (source) => {
  expect(toLiquid(source).text).toBe(source);
});

it("empties comments, whatever is in them", () => {
  expect(toLiquid("{% comment %}{{ a ?? }} {{{% endcomment %}x").text).toBe("{% comment %}{% endcomment %}x");
});

it.each([
  ["{{ a ?? }}", 1, 6],
  ["{{ ?? a }}", 1, 4],
  ["x\n {{ a ?? ?? b }}", 2, 7],
  ["{{ (a | upcase) ?? b }}", 1, 17],
])("refuses a fallback without two sides: %j", (source, line, column) => {
  expect(() => toLiquid(source)).toThrow(TemplateSyntaxError);
  expect(() => toLiquid(source)).toThrow(expect.objectContaining({ line, column }));
});

it("knows where in the source each place of the Liquid text comes from", () => {
  const source = "{{ a ?? b }} {{ first name }} end";
  const { text, sourceOffset } = toLiquid(source);
  expect(sourceOffset(0)).toBe(0);
  expect(sourceOffset(text.indexOf("b)"))).toBe(source.indexOf("a ??"));
  expect(sourceOffset(text.indexOf('["first'))).toBe(source.indexOf("first"));
  expect(sourceOffset(text.indexOf("end"))).toBe(source.indexOf("end"));
});
