import type { CreateTemplate, Template } from "petrel-client";
import { Refusal } from "../command";
import { readFrontMatter, writeFrontMatter } from "../front-matter";
import { htmlOf } from "../markdown";
import { checked } from "./checked";
import { type Doc, inOrder } from "./doc";
import { type Kind, versionOf } from "./kind";
import type { Names } from "./names";

const fieldOrder = [
  ...["name", "description", "type", "subject", "previewText", "from", "fromName", "replyTo", "topic"],
];
const order = [...fieldOrder, "body"];
const types = ["MARKETING", "TRANSACTIONAL", "HEADLESS"] as const;

export const templates: Kind = {
  noun: "template",
  folder: "templates",
  extensions: [".html", ".md"],
  parse(text, file) {
    const { fields, body } = readFrontMatter(text, file);
    const { name, ...rest } = checked(fields, fieldOrder, file);
    if (rest.type !== undefined && !types.some((type) => type === rest.type))
      throw new Refusal(`${file}: type is ${String(rest.type)}. There are: ${types.join(", ")}`);
    for (const needed of ["subject", "from"])
      if (typeof rest[needed] !== "string") throw new Refusal(`${file}: needs a ${needed}`);
    return canonical({ ...rest, name, body: file.endsWith(".md") ? htmlOf(body) : body });
  },
  write: ({ body, ...fields }) => writeFrontMatter({ fields, body: String(body) }),
  async list(petrel, names) {
    const found = [];
    for await (const template of petrel.templates.list({ pageSize: 100 })) found.push(template);
    for (const { id, name } of found) names.add("template", name, id);
    return found.map((template) => itemOf(template, names));
  },
  read: async (petrel, names, { id }) => itemOf(await petrel.templates.get(id), names),
  async create(petrel, names, doc, file) {
    const template = await petrel.templates.create(bodyOf(doc, names, file));
    names.add("template", doc.name, template.id);
    return itemOf(template, names);
  },
  async update(petrel, names, { had, doc, file }) {
    const template = await petrel.templates.update(had.id, bodyOf(doc, names, file), versionOf(had));
    names.add("template", doc.name, template.id);
    return itemOf(template, names);
  },
};

function itemOf(template: Template, names: Names) {
  const { id, version, topicId } = template;
  const topic = topicId === null ? undefined : names.nameOf("topic", topicId);
  return { id, version, doc: canonical({ ...template, topic }) };
}

function canonical(fields: Record<string, unknown>): Doc {
  const { from, replyTo, body } = fields;
  return inOrder(
    {
      ...fields,
      type: fields.type ?? "MARKETING",
      // Lower case, as the service stores addresses.
      from: lowerCase(from),
      replyTo: lowerCase(replyTo),
      body: `${String(body).trimEnd()}\n`,
    },
    order,
  ) as Doc;
}

function lowerCase(address: unknown): unknown {
  return typeof address === "string" ? address.trim().toLowerCase() : address;
}

function bodyOf(doc: Doc, names: Names, file: string): CreateTemplate {
  const text = (name: string) => (typeof doc[name] === "string" ? String(doc[name]) : null);
  const topic = text("topic");
  const body = {
    name: doc.name,
    subject: text("subject") ?? "",
    body: text("body") ?? "",
    from: text("from") ?? "",
    type: types.find((type) => type === doc.type) ?? null,
    description: text("description"),
    fromName: text("fromName"),
    replyTo: text("replyTo"),
    previewText: text("previewText"),
    topicId: topic === null ? null : names.idOf("topic", topic, file),
  };
  // Null clears a field, although the types of some fields do not say so.
  return body as CreateTemplate;
}
