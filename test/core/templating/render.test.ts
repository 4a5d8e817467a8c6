import { describe, expect, it } from "vitest";
import { TemplateRenderError, TemplateSyntaxError } from "../../../src/core/templating/errors";
import { parseTemplate, renderTemplate } from "../../../src/core/templating/render";

const values = {
  firstName: "Ann",
  "first name": "Ann Lee",
  "Straße 2": "Ring 1",
  "a.b": "literal",
  "profile.level": "literal level",
  data: { "first name": "Ann Lee", "profile.level": "literal level", profile: { tier: "gold" } },
  a: { b: "path", c: "path c" },
  profile: { tier: "gold", level: "path level", "shoe size": 41, "x.y": "inner literal" },
  hollow: "",
  nothing: null,
  zero: 0,
  no: false,
  yes: true,
  price: 9.5,
  tags: ["red", "blue"],
  items: [
    { name: "tea", price: 3 },
    { name: "<cup>", price: 5 },
  ],
  "item.price": "hidden by the loop",
  html: `<b>"Tom" & 'Jo'</b>`,
  lines: "one\r\ntwo\nthree",
  born: new Date("2024-03-05T10:20:30Z"),
  joined: "2024-03-05T10:20:30Z",
};

function html(source: string): string {
  return renderTemplate(parseTemplate(source, "html"), values);
}

function text(source: string): string {
  return renderTemplate(parseTemplate(source, "text"), values);
}

describe("prints", () => {
  it.each<[source: string, output: string]>([
    ["no Liquid: { } % } a ?? b", "no Liquid: { } % } a ?? b"],
    ["Hi {{firstName}}!", "Hi Ann!"],
    ["{{ unknown }}{{ unknown.deeper[0].still }}{{ firstName.nope }}", ""],
    ["{{ zero }} {{ no }} {{ yes }} {{ price }} {{ nothing }}", "0 false true 9.5 "],
    [
      "{{ tags }} {{ tags | join: ', ' }} {{ tags.size }} {{ tags[1] }} {{ tags.first }}",
      "redblue red, blue 2 blue red",
    ],
    ["{{ born }} {{ born | date: '%d.%m.%Y' }}", "2024-03-05T10:20:30.000Z 05.03.2024"],
    ["{{ joined | date: '%-d %B %Y, %H:%M' }}", "5 March 2024, 10:20"],
    ["{{ profile.tier }} {{ profile['tier'] }} {{ data.profile.tier }}", "gold gold gold"],
    // Fallbacks
    ['{{ firstName ?? "there" }}', "Ann"],
    ['{{ unknown ?? "there" }}', "there"],
    ['{{unknown??"there"}}', "there"],
    ['{{ hollow ?? "e" }} {{ nothing ?? "n" }}', "e n"],
    ["{{ zero ?? 7 }} {{ no ?? 7 }} {{ 0 ?? 7 }}", "0 false 0"],
    ['{{ unknown ?? hollow ?? nothing ?? "last" }}', "last"],
    ['{{ unknown ?? firstName ?? "last" }}', "Ann"],
    ['{{ unknown ?? "x" | upcase | append: "!" }}', "X!"],
    ['{{ profile.nope ?? profile.tier ?? "-" }}', "gold"],
    ['{{ "a ?? b" }} {{ unknown ?? "a }} ?? b" }}', "a ?? b a }} ?? b"],
    ['{{ "x" | append: unknown ?? "y" }}', "xy"],
    ['{% assign n = unknown ?? "friend" %}{{ n }}', "friend"],
    ["{% if unknown ?? no %}yes{% else %}no{% endif %}", "no"],
    ['{% if plan ?? "free" == "free" %}free{% else %}paid{% endif %}', "free"],
    ["{% for t in unknown ?? tags %}{{ t }};{% endfor %}", "red;blue;"],
    ['{% case unknown ?? "b" %}{% when "a" %}A{% when "b" %}B{% endcase %}', "B"],
    // Names with blanks and dots
    ["{{first name}} {{ first name | upcase }}", "Ann Lee ANN LEE"],
    ['{{data["first name"]}} {{ data.first name }}', "Ann Lee Ann Lee"],
    ["{{ profile.shoe size }} {{ Straße 2 }}", "41 Ring 1"],
    ['{{ last name ?? first name ?? "x" }}', "Ann Lee"],
    ['{% if first name == "Ann Lee" %}same{% endif %}', "same"],
    ["{{- first name -}} .", "Ann Lee."],
    ["{{ a.b }} {{ a.c }}", "literal path c"],
    ["{{ profile.level }} {{ data.profile.level }} {{ profile.x.y }}", "literal level literal level inner literal"],
    ["{% for item in items %}{{ item.price }} {% endfor %}{{ item.price }}", "3 5 hidden by the loop"],
    ['{% assign a = "own" %}{{ a.b }}{{ a }}', "own"],
    // Tags
    ["{% for i in (1..3) %}{{ i }}{% unless forloop.last %},{% endunless %}{% endfor %}", "1,2,3"],
    ["{% for x in unknown %}{{ x }}{% else %}none{% endfor %}", "none"],
    ["{% for p in profile limit: 1 %}{{ p[0] }}={{ p[1] }}{% endfor %}", "tier=gold"],
    ["{% if price > 9 and tags contains 'red' %}yes{% elsif zero %}?{% else %}no{% endif %}", "yes"],
    ["{% if hollow == blank %}blank{% endif %}{% if unknown == nil %} nil{% endif %}", "blank nil"],
    ["{% capture c %}<i>{{ html }}</i>{% endcapture %}{{ c | size }}", "58"],
    ["{% cycle 'a', 'b' %}{% cycle 'a', 'b' %}{% increment n %}{% increment n %}", "ab01"],
    ["{% raw %}{{ a ?? b }}{% if %}{% endraw %}", "{{ a ?? b }}{% if %}"],
    ["a{% comment %}{{ broken ?? | }}{% endcomment %}b{% # note %}c", "abc"],
    ["{% liquid\n  assign x = unknown ?? 'y'\n  echo x\n%}", "y"],
    [
      "{% tablerow t in tags cols: 1 %}{{ t }}{% endtablerow %}",
      '<tr class="row1"><td class="col1">red</td></tr><tr class="row2"><td class="col1">blue</td></tr>',
    ],
    // Filters
    ["{{ items | map: 'name' | join: ',' | size }}", "9"],
    ["{{ items | where: 'price', 3 | map: 'name' }} {{ items | sum: 'price' }}", "tea 8"],
    ["{{ items | where_exp: 'i', 'i.price > 3' | size }}", "1"],
    ["{{ 'b,a' | split: ',' | sort | join: '' }} {{ price | times: 2 | round }}", "ab 19"],
    ["{{ (unknown ?? tags) | join: '+' }} {{ (1..3) | join: '-' }}", "red+blue 1-2-3"],
    // Nothing of JavaScript
    ["{{ constructor }}{{ __proto__ }}{{ toString }}{{ hasOwnProperty }}", ""],
    ["{{ data.constructor.name }}{{ data.__proto__.x }}{{ tags.constructor }}{{ firstName.constructor }}", ""],
    ["{{ a | map: 'constructor' }}{{ tags | map: '__proto__' }}", ""],
  ])("%j as %j", (source, output) => {
    expect(html(source)).toBe(output);
    expect(html(source), "from the cache").toBe(output);
  });
});

describe("escapes in HTML", () => {
  it.each<[source: string, output: string]>([
    ["<p>{{ html }}</p>", "<p>&lt;b&gt;&#34;Tom&#34; &amp; &#39;Jo&#39;&lt;/b&gt;</p>"],
    ["{{ html | raw }}", `<b>"Tom" & 'Jo'</b>`],
    ["{{ html | upcase | slice: 0, 3 }}", "&lt;B&gt;"],
    ["{{ '&' | escape }} {{ '&amp;' | escape_once }}", "&amp; &amp;"],
    ["{{ html | raw | slice: 0, 1 }}", "&lt;"],
    ["{{ profile.nope ?? html | slice: 0 }}", "&lt;"],
    ["{% echo '<' %}{% cycle '<' %}", "&lt;&lt;"],
    ["{% capture c %}<i>{{ '<' }}</i>{% endcapture %}{{ c | raw }}", "<i>&lt;</i>"],
    ["{{ items.last }}", "{&#34;name&#34;:&#34;&lt;cup&gt;&#34;,&#34;price&#34;:5}"],
    ["&amp; {{ 1 }} &lt;", "&amp; 1 &lt;"],
  ])("%j as %j", (source, output) => {
    expect(html(source)).toBe(output);
  });
});

describe("keeps a subject one line of plain text", () => {
  it.each<[source: string, output: string]>([
    ["{{ html }}", `<b>"Tom" & 'Jo'</b>`],
    ["Hi {{ lines }}", "Hi onetwothree"],
    ["Hi\r\nBcc: x@y.z", "HiBcc: x@y.z"],
    ["{% if yes %}\nA\n{% endif %}", "A"],
    ["{{ 'a\\r\\nb' }}", "ab"],
  ])("%j as %j", (source, output) => {
    expect(text(source)).toBe(output);
  });
});

describe("refuses what is not valid, at its place", () => {
  it.each<[source: string, line: number, column: number, reason: string]>([
    ["{{ a | nope }}", 1, 1, "undefined filter: nope"],
    ['{{ first name ?? "x" }}\n {{ (a | nope) }}', 2, 10, "undefined filter: nope"],
    ["{{ a ?? b }} {{ a ?? b }}\n\n  {{ x | nope }}", 3, 3, "undefined filter: nope"],
    ["{{ a | sha256 }}", 1, 1, "undefined filter: sha256"],
    ["a\n{% if x %}", 2, 1, "not closed"],
    ["{% endif %}", 1, 1, "endif"],
    ["{% include 'x' %}", 1, 1, 'tag "include" not found'],
    ["{% render 'x' %}", 1, 1, 'tag "render" not found'],
    ["{% layout 'x' %}", 1, 1, 'tag "layout" not found'],
    ["{% block x %}{% endblock %}", 1, 1, 'tag "block" not found'],
    ["ok {{ first name", 1, 4, "not closed"],
    ['{{ "x }}', 1, 1, "not closed"],
    ["{{ }}", 1, 4, "invalid value expression"],
    ["{{ a ?? }}", 1, 6, "??"],
    ["{% raw %}x", 1, 10, "not closed"],
  ])("%j at %i:%i, because %s", (source, line, column, reason) => {
    expect(() => html(source)).toThrow(TemplateSyntaxError);
    expect(() => html(source)).toThrow(expect.objectContaining({ line, column }));
    expect(() => html(source)).toThrow(reason);
    expect(() => html(source)).toThrow(`(line ${line}, column ${column})`);
  });
});

it("says where rendering failed", () => {
  expect(() => html("ok\n{{ first name }}{{ '%' | url_decode }}")).toThrow(TemplateRenderError);
  expect(() => html("ok\n{{ first name }}{{ '%' | url_decode }}")).toThrow("URI malformed (line 2, column 17)");
});

it("does not carry anything from one rendering to the next", () => {
  const template = parseTemplate("{% increment n %}{% assign x = 1 %}{{ y }}{% assign y = 2 %}", "html");
  expect(renderTemplate(template, values)).toBe("0");
  expect(renderTemplate(template, values)).toBe("0");
  expect(values).not.toHaveProperty("n");
});

it("renders a body of a megabyte", () => {
  const row = "<tr><td style='padding: 0'>{{ first name ?? 'x' }}</td></tr>".padEnd(500, " ");
  expect(html(row.repeat(2_000))).toHaveLength(
    row.repeat(2_000).length - 2_000 * ("{{ first name ?? 'x' }}".length - 7),
  );
});

it("returns a body without Liquid as it is, however long", () => {
  const body = "x".repeat(2_500_000);
  expect(html(body)).toBe(body);
});
