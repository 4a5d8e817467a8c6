import { readFileSync } from "node:fs";
import { extname } from "node:path";
import type { Petrel } from "petrel-client";
import colours from "picocolors";
import { type Command, type Given, Refusal, UsageError } from "../command";
import { readFrontMatter } from "../front-matter";
import { htmlOf } from "../markdown";
import { say } from "../screen";
import { openPetrel } from "../settings";

export const send: Command = {
  summary: "Send an email",
  usage: "--to <address> (--subject … --body … | --file <file> | --template <name>)",
  options: {
    to: { type: "string", multiple: true, value: "address", about: "Who gets it; several times for several mails" },
    from: { type: "string", value: "address", about: "The sender, of a verified domain" },
    subject: { type: "string", value: "text", about: "The subject" },
    body: { type: "string", value: "html", about: "The body" },
    file: { type: "string", value: "file", about: "An email in a file: HTML or Markdown with front matter" },
    template: { type: "string", value: "name", about: "A template, by name or id" },
    data: { type: "string", multiple: true, value: "key=value", about: "A value for the mail's variables" },
    key: {
      type: "string",
      value: "text",
      about: "A key under which the mail goes out once, however often you send it",
    },
  },
  examples: [
    "petrel send --to ada@example.com --from hello@acme.com --subject Hi --body '<p>Hi {{ name }}</p>' --data name=Ada",
    "petrel send --to ada@example.com --template Welcome",
  ],
  async run(given) {
    const to = given.texts("to");
    if (to.length === 0) throw new UsageError("An email needs --to <address>");
    const mail = contentOf(given);
    const petrel = openPetrel();
    const name = given.text("template");
    const template = name === undefined ? {} : { template: await findTemplate(petrel, name) };
    const data = Object.fromEntries(given.texts("data").map(readPair));
    const key = given.text("key");
    const { emails } = await petrel.emails.send(
      { ...mail, ...template, to: to.length === 1 && to[0] !== undefined ? to[0] : to, data },
      key === undefined ? {} : { idempotencyKey: key },
    );
    for (const { contact, email, status } of emails) {
      const sign = status === "SUPPRESSED" ? colours.yellow("!") : colours.green("✓");
      say(`${sign} ${contact.email}  ${status}  ${colours.dim(email)}`);
    }
    return emails.every(({ status }) => status !== "SUPPRESSED") ? 0 : 1;
  },
};

/** An option overrides the same value in the file. */
function contentOf(given: Given): Record<string, string> {
  const file = given.text("file");
  const said = Object.fromEntries(
    ["from", "subject", "body"].flatMap((name) => {
      const value = given.text(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  if (file === undefined) {
    if (given.text("template") === undefined && said.body === undefined)
      throw new UsageError("An email needs --body, --file or --template");
    return said;
  }
  const { fields, body } = readFrontMatter(readFileSync(file, "utf8"), file);
  const { subject, from, replyTo } = fields;
  const told = Object.entries({ subject, from, reply: replyTo }).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  );
  return { ...Object.fromEntries(told), body: extname(file) === ".md" ? htmlOf(body) : body, ...said };
}

async function findTemplate(petrel: Petrel, name: string): Promise<string> {
  if (/^[0-9a-f-]{36}$/i.test(name)) return name;
  const found = [];
  for await (const template of petrel.templates.list({ search: name, pageSize: 100 }))
    if (template.name === name) found.push(template.id);
  const [id, second] = found;
  if (id === undefined) throw new Refusal(`There is no template named ${name}`);
  if (second !== undefined) throw new Refusal(`Several templates are named ${name}: give the id of one`);
  return id;
}

/** Returns numbers and booleans as JSON values, and anything else as text. */
function readPair(text: string): [key: string, value: unknown] {
  const [, key, value = ""] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
  if (key === undefined) throw new UsageError(`--data ${text}: write it as key=value`);
  return [key, /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(value) ? JSON.parse(value) : value];
}
