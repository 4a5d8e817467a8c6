import type { Topic } from "petrel-client";
import { readYaml, writeYaml } from "../front-matter";
import { checked } from "./checked";
import { type Doc, inOrder } from "./doc";
import type { Kind } from "./kind";

const order = ["name", "description", "defaultSubscribed"];

export const topics: Kind = {
  noun: "topic",
  folder: "topics",
  extensions: [".yaml", ".yml"],
  parse: (text, file) => canonical(checked(readYaml(text, file), order, file)),
  write: (doc) => writeYaml(doc),
  async list(petrel, names) {
    const found = [];
    for await (const topic of petrel.topics.list({ limit: 50 })) found.push(itemOf(topic));
    for (const { id, doc } of found) names.add("topic", doc.name, id);
    return found;
  },
  read: async (petrel, _, { id }) => itemOf(await petrel.topics.get(id)),
  async create(petrel, names, doc) {
    const item = itemOf(await petrel.topics.create(bodyOf(doc)));
    names.add("topic", doc.name, item.id);
    return item;
  },
  async update(petrel, names, { had, doc }) {
    const item = itemOf(await petrel.topics.update(had.id, bodyOf(doc)));
    names.add("topic", doc.name, item.id);
    return item;
  },
};

function itemOf(topic: Topic) {
  return { id: topic.id, doc: canonical({ ...topic }) };
}

function canonical(fields: Record<string, unknown>): Doc {
  return inOrder({ defaultSubscribed: true, ...fields }, order) as Doc;
}

function bodyOf({ name, description, defaultSubscribed }: Doc) {
  return {
    name,
    description: typeof description === "string" ? description : null,
    defaultSubscribed: defaultSubscribed === true,
  };
}
