import { describe, expect, it } from "vitest";
import { parseTemplate, renderTemplate } from "../../../src/core/templating/render";
import { type TemplateInput, templateVariables } from "../../../src/core/templating/variables";

const contact = { id: "c1", email: "ann@example.com", subscribed: true, data: { plan: "gold", locale: "de" } };

function print(source: string, input: Partial<TemplateInput> = {}): string {
  return renderTemplate(parseTemplate(source, "text"), templateVariables({ contact, ...input }));
}

function withData(data: Record<string, unknown>): Partial<TemplateInput> {
  return { contact: { ...contact, data } };
}

it("offers the contact, under both of its names", () => {
  expect(print("{{ id }} {{ service_id }} {{ email }} {{ service_email }} {{ subscribed }} {{ locale }}")).toBe(
    "c1 c1 ann@example.com ann@example.com true de",
  );
});

it("offers every key of the data at the top level and under data", () => {
  expect(print("{{ plan }} {{ data.plan }} {{ data['plan'] }}")).toBe("gold gold gold");
});

it("offers the links of this mail, and nothing for those it does not have", () => {
  const links = { unsubscribeUrl: "https://u", manageUrl: "https://m" };
  expect(print("{{ unsubscribeUrl }} {{ manageUrl }} {{ subscribeUrl }}", { links })).toBe("https://u https://m ");
});

it("lets built-in names win over data of the same name", () => {
  const data = { id: "x", email: "x", subscribed: "x", service_id: "x", data: "x", manageUrl: "x", event: "x" };
  const input = { ...withData(data), links: { manageUrl: "https://m" }, execution: { event: { name: "paid" } } };
  expect(print("{{ id }} {{ email }} {{ subscribed }} {{ service_id }} {{ manageUrl }} {{ event.name }}", input)).toBe(
    "c1 ann@example.com true c1 https://m paid",
  );
  expect(print("{{ data.id }} {{ data.data }}", input)).toBe("x x");
});

describe("the values of this call", () => {
  it("hide the contact's", () => {
    expect(print("{{ plan }} {{ data.plan }} {{ code }}", { ownData: { plan: "free", code: 1 } })).toBe("free free 1");
  });

  it("leave the contact's other values and the contact itself alone", () => {
    expect(print("{{ locale }}", { ownData: { plan: "free" } })).toBe("de");
    expect(contact.data).toEqual({ plan: "gold", locale: "de" });
  });
});

it.each<[promise: string, input: Partial<TemplateInput>, name: string]>([
  ["the recipient's name", { recipientName: "Ann" }, "Ann"],
  [
    "the recipient's name in this mail rather than the contact's of some earlier day",
    { ...withData({ name: "Contact" }), recipientName: "Ann" },
    "Ann",
  ],
  [
    "this call's name rather than either",
    { ...withData({ name: "Contact" }), ownData: { name: "Own" }, recipientName: "Ann" },
    "Own",
  ],
  ["nothing without any", {}, ""],
])("prints %s", (_, input, name) => {
  expect(print("{{ name }}", input)).toBe(name);
});

describe("takes any key as data and as nothing else", () => {
  const odd = JSON.parse(
    `{"__proto__": {"polluted": 1}, "constructor": "c", "toString": "t", "it's": 1, "🎉": 2, "a.b": 3, "\\"": 4}`,
  );

  it("prints the customer's own keys", () => {
    const source = `{{ __proto__.polluted }} {{ constructor }} {{ toString }} {{ data["it's"] }} {{ 🎉 }} {{ a.b }} {{ data['"'] }}`;
    expect(print(source, withData(odd))).toBe("1 c t 1 2 3 4");
    expect(print(source, { ownData: odd })).toBe("1 c t 1 2 3 4");
  });

  it("changes no prototype", () => {
    const variables = templateVariables({ contact: { ...contact, data: odd }, ownData: odd });
    expect({}).not.toHaveProperty("polluted");
    expect(Object.getPrototypeOf(variables)).toBeNull();
    expect(Object.getPrototypeOf(variables.data)).toBeNull();
    expect("polluted" in variables).toBe(false);
  });

  it("prints nothing for names of JavaScript that are no keys", () => {
    expect(print("{{ constructor }}{{ __proto__ }}{{ data.constructor.name }}{{ data.__proto__ }}{{ toString }}")).toBe(
      "",
    );
  });
});
