import { describe, expect, it } from "vitest";
import { newProject } from "../support/project";
import { expectInvalid } from "../support/refusal";
import { emailRows } from "../support/rows";

describe("text that cannot be stored as it was sent", () => {
  const bad = [
    ["U+0000", "a\0b"],
    ["a lone high surrogate", "a\ud83db"],
    ["a lone low surrogate", "\ude00"],
  ] as const;
  const places: [name: string, field: string, fields: (text: string, domain: string) => Record<string, unknown>][] = [
    ["the subject", "subject", (subject) => ({ subject })],
    ["the body", "body", (body) => ({ body })],
    ["the sender's name", "from.name", (name, domain) => ({ from: { name, email: `hi@${domain}` } })],
    ["the old name", "name", (name) => ({ name })],
    ["a recipient's name", "to.1.name", (name) => ({ to: ["bob@example.com", { name, email: "ada@example.com" }] })],
    ["a recipient's address", "to", (text) => ({ to: `${text}@example.com` })],
    ["the address to reply to", "reply", (text) => ({ reply: `${text}@example.com` })],
    ["a header", "headers.X-Order", (text) => ({ headers: { "X-Order": text } })],
  ];

  it.each(places.flatMap(([place, ...rest]) => bad.map(([what, text]) => [what, place, text, ...rest] as const)))(
    "%s in %s is a 422, with no effect",
    async (_what, _place, text, field, fields) => {
      const project = await newProject();
      expectInvalid(await project.api.send(fields(text, project.domain)), field, "invalid_string");
      expect(await emailRows(project)).toEqual([]);
    },
  );

  it("is not what any script or emoji is", async () => {
    const project = await newProject();
    const text = "Žofie 李 👩‍👩‍👧 \u{10ffff}";
    const from = { name: text, email: `hi@${project.domain}` };
    expect((await project.api.send({ subject: text, body: text, from, headers: { "X-Order": text } })).status).toBe(
      200,
    );
  });
});
