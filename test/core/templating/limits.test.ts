import { describe, expect, it } from "vitest";
import { Budget } from "../../../src/core/templating/budget";
import { RenderLimitError, TemplateSyntaxError } from "../../../src/core/templating/errors";
import { parseTemplate, renderTemplate } from "../../../src/core/templating/render";
import { renderJson } from "../../../src/core/templating/render-json";

const long = "a".repeat(60_000);
const values: Record<string, unknown> = {
  long,
  needle: `${"a".repeat(30_000)}b`,
  numbers: Array.from({ length: 15_000 }, (_, index) => index),
  objects: Array.from({ length: 3_000 }, (_, index) => ({ p: index })),
  keys: Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`k${index}`, 1])),
  widths: `%${"0".repeat(60_000)}\n`,
  big: 2 ** 53,
};

function render(source: string): string {
  return renderTemplate(parseTemplate(source, "html"), values);
}

function failureOf(source: string): unknown {
  try {
    return `rendered: ${render(source).slice(0, 100)}`;
  } catch (error) {
    return error;
  }
}

function loop(body: string): string {
  return `{% for i in (1..100000) %}${body}{% endfor %}`;
}

const nesting = "{% assign y = '' | split: '' | push: x | push: x %}{% assign x = y %}";

describe("ends with RenderLimitError", () => {
  it.each<[attack: string, source: string]>([
    ["nested loops", loop(loop(loop("x")))],
    ["nested loops that print nothing", loop(loop(""))],
    ["a huge range", "{% for i in (1..1000000000) %}x{% endfor %}"],
    ["a huge range in a filter", "{{ (1..1000000000) | size }}"],
    ["an endless range", "{% for i in (-1e999..5) %}{% endfor %}{{ (0..1000000000000) | first }}"],
    [
      "a long loop with a limit above",
      "{% for i in numbers limit: 1000000000 %}{% for j in numbers %}{{ j }}{% endfor %}{% endfor %}",
    ],
    ["a loop over an object, for one element each time", loop("{% for k in keys limit: 1 %}{% endfor %}")],
    ["the size of an object", loop("{{ keys.size }}")],
    ["a table of a million cells", "{% tablerow i in (1..1000000) cols: 1 %}x{% endtablerow %}"],
    ["a text that doubles", loop("{% assign long = long | append: long %}")],
    ["a capture that doubles", loop("{% capture long %}{{ long | raw }}{{ long | raw }}{% endcapture %}")],
    ["a list that doubles", loop("{% assign numbers = numbers | concat: numbers %}")],
    ["lists that nest and double", `{% assign x = '' %}${loop(nesting)}`],
    ["a text that replaces its every letter", "{{ long | replace: 'a', long }}"],
    ["a long separator", "{{ numbers | join: long }}"],
    ["a wide number in a date", "{{ 'now' | date: '%1000000000d' }}"],
    ["a date format that is slow to match", "{{ 'now' | date: widths }}"],
    [
      "the same format in a list",
      "{{ 'now' | date: '' | default: 1 }}{% assign f = '' | split: '' | push: widths %}{{ 'now' | date: f }}",
    ],
    ["many dates", loop("{% assign x = 'now' | date: '%A %B' %}")],
    ["a search that nearly matches everywhere", "{{ long | remove_last: needle }}"],
    ["contains, the same way", loop("{% if long contains needle %}{% endif %}")],
    ["comparing long texts", loop("{% if long == long %}{% endif %}")],
    ["comparing lists", loop("{% if numbers == numbers %}{% endif %}")],
    ["comparing lists in case", loop("{% case numbers %}{% when numbers %}{% when numbers %}{% endcase %}")],
    ["a case with many values", loop(`{% case 0 %}{% when ${"1,".repeat(450)}1 %}{% endcase %}`)],
    ["an if with many branches", loop(`{% if no %}${"{% elsif no %}".repeat(5_000)}{% endif %}`)],
    ["a long condition", loop(`{% if ${"no or ".repeat(160)} no %}{% endif %}`)],
    ["a long list of filters", loop(`{% assign x = 1 ${"| plus: 1".repeat(95)} %}`)],
    ["a long path", loop(`{% assign x = long${".x".repeat(450)} %}`)],
    ["a loop with many arguments", loop(`{% for j in numbers limit: 0 ${"a:1 ".repeat(230)} %}{% endfor %}`)],
    ["sorting in a loop", loop("{% assign x = objects | sort: 'p' %}")],
    ["where in a loop", loop("{% assign x = objects | where: 'p', 1 %}")],
    ["where_exp in a loop", loop("{% assign x = objects | where_exp: 'o', 'o.p > 1' %}")],
    ["printing a list in a loop", loop("{% capture x %}{{ numbers }}{% endcapture %}")],
    ["json in a loop", loop("{% assign x = keys | json %}")],
    ["a key that is a nested list", `{% assign x = '' %}${loop(`${nesting}{{ keys[x] }}`)}`],
  ])("%s", (_, source) => {
    expect(failureOf(source)).toBeInstanceOf(RenderLimitError);
  });

  it("when the output is longer than two million characters", () => {
    expect(render("{% raw %}".concat("x".repeat(1_990_000), "{% endraw %}"))).toHaveLength(1_990_000);
    expect(() => render("{% raw %}".concat("x".repeat(2_000_001), "{% endraw %}"))).toThrow(RenderLimitError);
    expect(() => render(`${"x".repeat(100_000)}{{ 1 }}`.repeat(21))).toThrow("longer than 2000000 characters");
  });
});

it.each(["escape", "url_encode", "slugify", "base64_encode", "split: ''", "sort", "uniq", "map: 'x'"])(
  "lets a loop run %s over a long text or list only so often",
  (filter) => {
    expect(failureOf(loop(`{% assign x = long | ${filter} %}`))).toBeInstanceOf(RenderLimitError);
    expect(failureOf(loop(`{% assign x = numbers | ${filter} %}`))).toBeInstanceOf(RenderLimitError);
  },
);

it("says what to do about too much work and too much output", () => {
  expect(() => render(loop("{{ long | raw }}"))).toThrow(/longer than 2000000 characters. Shorten/);
  expect(() => render(loop("{% assign x = long | upcase %}"))).toThrow(/too much work for one email. Use fewer/);
});

it.each([
  "{% for i in (big..9007199254740996) %}x{% endfor %}",
  "{% assign low = '9007199254740993' %}{{ (low..low) | size }}",
  "{{ objects | where: '[(9007199254740993..9007199254740994)]' | size }}",
])("refuses ranges that would never end: %s", (source) => {
  expect(() => render(source)).toThrow("a range cannot count beyond 9007199254740991");
});

it("has one budget for many texts, and says what was spent of it", () => {
  const text = "{% for n in (1..20000) %}{% endfor %}";
  const budget = new Budget();
  renderTemplate(parseTemplate(text, "value"), {}, budget);
  const { spent } = budget;
  expect(spent).toBeGreaterThan(1_000_000);
  const fits = Math.floor(10_000_000 / spent);
  expect(renderJson(Array(fits).fill(text), {})).toHaveLength(fits);
  expect(() => renderJson({ a: [Array(fits).fill(text)], b: { c: text } }, {})).toThrow(RenderLimitError);
});

it("counts parsing where it is done, and takes nothing for it from what may be rendered", () => {
  const text = `${"{{ a }} ".repeat(9_000)}{% comment %}parsed here alone{% endcomment %}`;
  const budget = new Budget();
  const template = parseTemplate(text, "html", budget);
  expect(budget.spent).toBeGreaterThan(9_000_000);
  expect(renderTemplate(template, { a: "b" }, budget)).toHaveLength(18_000);
});

describe("refuses to parse", () => {
  it.each<[attack: string, source: string, reason: string]>([
    ["more than 10,000 placeholders", "{{a}}".repeat(10_001), "10000 placeholders"],
    [
      "more than 10,000 lines of a liquid tag",
      `{% liquid\n${"echo a\n".repeat(2_500)}%}`.repeat(5),
      "10000 placeholders",
    ],
    ["tags nested more than 100 deep", "{% if a %}".repeat(101), "nested at most 100 levels deep"],
    ["the same in a liquid tag", `{% liquid\n${"if a\n".repeat(1_000)}%}`, "nested at most 100 levels deep"],
    ["a placeholder longer than 20,000 characters", `{{ "${"x".repeat(20_000)}" }}`, "20000 characters"],
    [
      "an output of more than 1,000 characters",
      `{{ a${" | upcase".repeat(112)} }}`,
      "1000 characters outside of quotes",
    ],
    ["a tag of more than 1,000 characters", `{% if a${" or a".repeat(250)} %}{% endif %}`, "1000 characters outside"],
    ["a line like that in a liquid tag", `{% liquid\necho a${" | upcase".repeat(112)}\n%}`, "1000 characters outside"],
    ["parentheses nested without end", `{{ ${"(".repeat(19_000)} }}`, "1000 characters outside of quotes"],
    ["brackets nested without end", `{{ ${"a[".repeat(9_000)} }}`, "1000 characters outside of quotes"],
  ])("%s", (_, source, reason) => {
    expect(() => parseTemplate(source, "html")).toThrow(TemplateSyntaxError);
    expect(() => parseTemplate(source, "html")).toThrow(reason);
  });
});

it.each([
  ["unclosed outputs", "{{".repeat(500_000)],
  ["unclosed raw blocks", "{% raw %}".repeat(100_000)],
  ["escaped quotes", `{% assign x = "${'\\"'.repeat(9_000)} %}`],
  ["blanks", `{{ a${" ".repeat(980)}b }}`.repeat(1_000)],
  ["blanks in brackets", `{% if no %}${`{{ x[${" ".repeat(980)}1] }}`.repeat(3_000)}{% endif %}`],
  ["an inline comment of empty lines", `{% # ${"\n".repeat(19_000)} %}`],
  ["a comment full of tags", `{% comment %}${"{{ a }}".repeat(100_000)}{% endcomment %}`],
  ["braces", `${"{ ".repeat(500_000)}{{ a }}`],
])("reads %s without going over them again and again", (_, source) => {
  // The suite's time limit is the assertion: read in quadratic time, each of these takes minutes.
  const result = failureOf(source);
  if (typeof result !== "string") expect(result).toBeInstanceOf(TemplateSyntaxError);
});

it("reads a long string, and many lines in one liquid tag", () => {
  expect(render(`{{ "${"x".repeat(19_000)}" | size }}`)).toBe("19000");
  expect(render(`{% liquid\n${"echo 1\n".repeat(1_000)}%}`)).toBe("1".repeat(1_000));
});

it("leaves room for a large real mail", () => {
  const items = Array.from({ length: 500 }, (_, index) => ({ name: `Item ${index}`, price: index, at: "2024-03-05" }));
  const row =
    "<tr><td>{{ item.name | escape }}</td><td>{{ item.price | times: 1.2 | round: 2 }}</td><td>{{ item.at | date: '%d.%m.%Y' }}</td></tr>";
  const template = parseTemplate(
    `{% for item in items %}{% if item.price > 10 %}${row}{% endif %}{% endfor %}`,
    "html",
  );
  expect(renderTemplate(template, { items })).toContain("Item 499");
});
