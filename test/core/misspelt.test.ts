import { expect, it } from "vitest";
import type { FieldCode } from "../../src/core/errors";
import { nameMisspelt } from "../../src/core/misspelt";

function messagesOf(fields: string[], unknown: string[], code: FieldCode = "required"): string[] {
  const faults = fields.map((field) => ({ field, code, message: "Required" }));
  return nameMisspelt(faults, unknown).map(({ field, message }) => `${field}: ${message}`);
}

it.each<[meant: string, sent: string]>([
  ["contactId", "contactID"],
  ["contactId", "contact_id"],
  ["templateId", "tempalteId"],
  ["email", "e-mail"],
  ["email", "Email"],
  ["to", "TO"],
])("says that the missing %s is probably what was sent as %s", (meant, sent) => {
  expect(messagesOf([meant], ["other", sent])).toEqual([
    `${meant}: Required. You sent ${sent}, probably for ${meant}.`,
  ]);
});

it.each<[meant: string, sent: string[]]>([
  ["contactId", []],
  ["contactId", ["person", "id"]],
  // A short word must be closer than a long one.
  ["to", ["cc", "from"]],
  ["contactId", ["contactIdentity"]],
])("says nothing more of the missing %s when nothing is near: %j", (meant, sent) => {
  expect(messagesOf([meant], sent)).toEqual([`${meant}: Required`]);
});

it("looks beside the field that is missing, and nowhere else", () => {
  expect(messagesOf(["from", "list.0.filename", "list.1.filename"], ["fom", "list.0.fileName", "list.0.form"])).toEqual(
    [
      "from: Required. You sent fom, probably for from.",
      "list.0.filename: Required. You sent fileName, probably for filename.",
      "list.1.filename: Required",
    ],
  );
});

it("says nothing of a field that is there, and wrong", () => {
  expect(messagesOf(["from"], ["From"], "invalid_type")).toEqual(["from: Required"]);
});

it("compares no more names than 50, and none that is much longer", () => {
  const others = Array.from({ length: 50 }, (_, n) => `other${n}`);
  expect(messagesOf(["from"], [...others, "form"])).toEqual(["from: Required"]);
  expect(messagesOf(["from"], ["form".repeat(100_000)])).toEqual(["from: Required"]);
});
