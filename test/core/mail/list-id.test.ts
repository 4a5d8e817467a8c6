import { expect, it } from "vitest";
import { listIdHeader } from "../../../src/core/mail/list-id";

const id = "01a20339-6c9b-74ed-95a5-879a8e579dd4";

it.each([
  ["Acme News", "acme.test", `Acme News <${id}.acme.test>`],
  ["Acme, Inc. <x>", "acme.test", `"Acme, Inc. <x>" <${id}.acme.test>`],
  ["Bücher", "ACME.test", `=?UTF-8?Q?B=C3=BCcher?= <${id}.acme.test>`],
  [null, "acme.test", `<${id}.acme.test>`],
  ["  ", "acme.test", `<${id}.acme.test>`],
  ["Acme", `${"a".repeat(60)}.`.repeat(4).slice(0, 250), ""],
])("the list of %j at %s is %s", (name, domain, expected) => {
  expect(listIdHeader(name, id, domain)).toBe(expected);
});
