import { describe, expect, it } from "vitest";
import { engines } from "../../../src/core/templating/engine";
import { RenderLimitError, TemplateRenderError } from "../../../src/core/templating/errors";
import { parseTemplate, renderTemplate } from "../../../src/core/templating/render";

const length = 4_000;

/** Stands for a value that is slow to convert, and counts how often that happens. */
let conversions = 0;
const counted = {
  [Symbol.toPrimitive]() {
    conversions++;
    return 1e9;
  },
};

const hostile: Record<string, unknown> = {
  counted,
  digits: "9".repeat(60_000),
  letters: "a".repeat(length),
  pairs: "😀".repeat(length / 2),
  openings: "<".repeat(length),
  blanks: " ".repeat(length),
  percents: "%".repeat(length),
  huge: 1e308,
  negative: -1e308,
  fraction: 0.5,
  yes: true,
  empty: "",
  nothing: null,
  numbers: Array.from({ length: 200 }, (_, index) => index),
  rows: Array.from({ length: 50 }, (_, index) => ({ p: index })),
  object: { length: 9_000, size: 9_000 },
  deep: Array.from({ length: 1_500 }).reduce((inner) => [inner], 1),
};
const names = Object.keys(hostile);

/** The inputs: their number multiplies the work of the suite. */
const inputs = ["counted", "letters", "openings", "percents", "numbers", "rows", "deep"];

/** What a rendering cost, in steps and characters: a clock would say how busy the machine is. */
interface Cost {
  conversions: number;
  steps: number;
  rendered: string;
}

/** Null when the rendering was refused, which is as good as a result. */
function costOf(source: string, values: Record<string, unknown>): Cost | null {
  const template = parseTemplate(source, "text");
  conversions = 0;
  let steps = 0;
  const original = String.prototype.codePointAt;
  // A mock would keep each call, which takes longer than what it counts.
  String.prototype.codePointAt = function (at) {
    steps++;
    return original.call(this, at);
  };
  try {
    const rendered = renderTemplate(template, values);
    return { conversions, steps, rendered };
  } catch (error) {
    if (error instanceof RenderLimitError || error instanceof TemplateRenderError) return null;
    throw error;
  } finally {
    String.prototype.codePointAt = original;
  }
}

/** A conversion for each of the fifty rows is paid for; one for each character is what these tests look for. */
function expectCheap(cost: Cost | null, characters: (rendered: string) => number, attack: string): void {
  if (cost === null) return;
  const { rendered, ...steps } = cost;
  const isCheap = steps.conversions <= 500 && steps.steps <= 6 * 60_000 && characters(rendered) <= 10_000_000;
  expect(isCheap || { ...steps, characters: characters(rendered) }, attack).toBe(true);
}

describe("no filter works longer for an argument of the wrong type or size:", () => {
  it.each(Object.keys(engines.text.filters))("%s", (filter) => {
    for (const input of inputs) {
      const x = hostile[input];
      expectCheap(costOf(`{{ x | ${filter} | size }}`, { x }), Number, `${input} | ${filter}`);
      for (const argument of names) {
        const a = hostile[argument];
        expectCheap(costOf(`{{ x | ${filter}: a | size }}`, { x, a }), Number, `${input} | ${filter}: ${argument}`);
        expectCheap(
          costOf(`{{ x | ${filter}: '1', a | size }}`, { x, a }),
          Number,
          `${input} | ${filter}: '1', ${argument}`,
        );
      }
    }
  });
});

describe("no tag works longer for an argument of the wrong type or size:", () => {
  it.each([
    "{% for i in x limit: a %}.{% endfor %}",
    "{% for i in x offset: a %}.{% endfor %}",
    "{% for i in x limit: 2 offset: a reversed %}.{% endfor %}",
    "{% tablerow i in x cols: a %}.{% endtablerow %}",
    "{% tablerow i in x limit: a %}.{% endtablerow %}",
    "{% tablerow i in x offset: a limit: 2 %}.{% endtablerow %}",
    "{% for i in (1..a) %}.{% endfor %}",
    "{% for i in (1..20) %}{% cycle a: 1, 2 %}{% endfor %}",
    "{% if x < a or x contains a %}.{% endif %}",
    "{{ x[a] }}",
  ])("%s", (source) => {
    for (const input of ["numbers", "rows", "letters", "object", "deep"]) {
      for (const argument of names) {
        const cost = costOf(source, { x: hostile[input], a: hostile[argument] });
        expectCheap(cost, (rendered) => rendered.length, `${source} on ${input}, ${argument}`);
      }
    }
  });
});

it.each([
  ["{{ x | slice: '2', '3' }}", "cde"],
  ["{{ x | slice: '-2', '9' }}", "fg"],
  ["{{ x | slice: digits }}", ""],
  ["{{ x | truncate: '5' }}", "ab..."],
  ["{{ 'a b c' | truncatewords: '2' }}", "a b..."],
  ["{% for i in (1..9) limit: '2' offset: '3' %}{{ i }}{% endfor %}", "45"],
  [
    "{% for i in (1..4) limit: 2 %}{{ i }}{% endfor %}{% for i in (1..4) offset: continue %}{{ i }}{% endfor %}",
    "1234",
  ],
  ["{% for i in (1..3) limit: missing %}{{ i }}{% endfor %}", "123"],
  [
    "{% tablerow i in (1..3) cols: '2' %}{{ i }}{% endtablerow %}",
    '<tr class="row1"><td class="col1">1</td><td class="col2">2</td></tr><tr class="row2"><td class="col1">3</td></tr>',
  ],
  [
    "{% tablerow i in (1..9) offset: '1' limit: '1' %}{{ i }}{% endtablerow %}",
    '<tr class="row1"><td class="col1">2</td></tr>',
  ],
])("reads a text as the number that it is: %s", (source, result) => {
  expect(renderTemplate(parseTemplate(source, "text"), { x: "abcdefg", digits: hostile.digits })).toBe(result);
});

it("pays for the text of a group of cycle, which is made anew each time", () => {
  const template = parseTemplate("{% for i in (1..2000) %}{% cycle x: 1, 2 %}{% endfor %}", "text");
  const x = [Array.from({ length: 15_000 }, (_, index) => index)];
  expect(() => renderTemplate(template, { x })).toThrow(RenderLimitError);
});
