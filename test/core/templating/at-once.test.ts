import { expect, it } from "vitest";
import type { TemplateKind } from "../../../src/core/templating/engine";
import { parseTemplate, renderTemplate } from "../../../src/core/templating/render";

const values = {
  name: `Ann & "Bo"`,
  "a.b": "literal",
  a: { b: "path", c: "c", "d.e": "inner", deep: { er: "deeper" } },
  list: ["red", "blue"],
  size: "own size",
  first: "own first",
  empty: "",
  nothing: null,
  zero: 0,
  no: false,
  price: 9.5,
  born: new Date("2024-03-05T10:20:30Z"),
  __proto__: null,
  constructor: "own constructor",
};

const printed = [
  ...["name", "a.b", "a.c", "a.d.e", "a.deep.er", "a.b.c", "a", "list", "list[1]", "list.size", "born"],
  ...["size", "first", "last", "empty", "nothing", "zero", "no", "price", "unknown", "unknown.deeper", "constructor"],
  ...["toString", "nil", "true", "'text'", "7", "(1..3)", "empty ?? 'e'", "unknown ?? nothing ?? name", "zero ?? 1"],
  ...["unknown ?? empty", "list ?? 1", "name ?? list", "unknown ?? list", "a.x ?? 'none'", "1 ?? 2", "name == 'x'"],
  ...["name | upcase", "name | raw", "unknown ?? name | upcase", "name | append: 'x' | raw", "not no"],
];

function outputOf(source: string, kind: TemplateKind): string {
  return renderTemplate(parseTemplate(source, kind), values);
}

it.each(["html", "text", "value", "url"] as const)(
  "prints in %s what liquidjs prints, which evaluates loops",
  (kind) => {
    for (const value of printed) {
      const evaluated = outputOf(`{% for i in (1..1) %}{{ ${value} }}{% endfor %}`, kind);
      expect({ value, output: outputOf(`{{ ${value} }}`, kind) }).toEqual({ value, output: evaluated });
    }
  },
);

it("prints what a tag set rather than the data of the same name", () => {
  expect(outputOf("{% assign name = 'set' %}{{ name }} {{ name ?? 'none' }}", "html")).toBe("set set");
  expect(outputOf("{% assign a = list %}{{ a.b ?? 'none' }} {{ a.first }}", "html")).toBe("none red");
  expect(outputOf("{% for name in list %}{{ name }},{% endfor %}{{ name }}", "text")).toBe(`red,blue,${values.name}`);
  expect(outputOf("{{ zero }}{% increment zero %}{{ zero }}", "text")).toBe("001");
});
