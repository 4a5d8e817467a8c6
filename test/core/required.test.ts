import { expect, it } from "vitest";
import { requiredText } from "../../src/core/required";

it.each([
  ["from", undefined, "Required: an address of a verified domain, such as hello@acme.example"],
  ["attachments.12.contentType", undefined, "Required: the media type of the file, such as application/pdf"],
  ["name", "string", "Required: a name of your own for it"],
  // A step's key, and no sender.
  ["transitions.0.from", "string", "Required: a string"],
  ["config.amount", "number", "Required: a number"],
  ["events", "array", "Required: a list"],
  ["colour", undefined, "Required"],
  ["toString", "constructor", "Required"],
])("says what %s (%s) takes", (field, kind, text) => {
  expect(requiredText(field, kind)).toBe(text);
});
