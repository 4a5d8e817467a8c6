/** Describes the values that fields expect, by path, where the name of the field is not clear enough. */
const wanted = new Map([
  ["from", "an address of a verified domain, such as hello@acme.example"],
  ["to", "the address of a recipient, such as ada@example.com, or a list of them"],
  ["email", "an address, such as ada@example.com"],
  ["subject", "the subject line of the mail"],
  ["body", "the HTML of the mail"],
  ["event", "the name of what happened, such as signup"],
  ["name", "a name of your own for it"],
  ["condition", 'what its contacts have in common, such as { "logic": "AND", "groups": [{ "filters": [ … ] }] }'],
  ["file", "a CSV file, such as curl -F file=@contacts.csv sends"],
  ["bytes", "the size of the file in bytes"],
  ["contactIds", "a list of ids of contacts"],
  ["attachments.*.filename", "the name under which the file is shown"],
  ["attachments.*.content", "the file in base64"],
  ["attachments.*.contentType", "the media type of the file, such as application/pdf"],
  ["attachments.*.contentId", "a name for the inline file, to which the body refers as cid:<name>"],
]);

const kinds = new Map(
  Object.entries({
    string: "a string",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "an object",
    record: "an object",
  }),
);

/** Returns the message for a missing field. `kind` is the type that the validator expects. */
export function requiredText(field: string, kind = ""): string {
  const text = wanted.get(field.replaceAll(/\.\d+(?=\.|$)/g, ".*")) ?? kinds.get(kind);
  return text === undefined ? bareRequired : `Required: ${text}`;
}

/** The message with which our schemas report a missing field. */
export const bareRequired = "Required";
