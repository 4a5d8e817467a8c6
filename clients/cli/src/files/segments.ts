import type { FilterCondition, Segment } from "petrel-client";
import { Refusal } from "../command";
import { readYaml, writeYaml } from "../front-matter";
import { checked } from "./checked";
import { type Doc, inOrder } from "./doc";
import { type Kind, versionOf } from "./kind";
import { type Names, segmentsIn, turnSegments } from "./names";

const order = ["name", "description", "type", "trackMembership", "condition"];

export const segments: Kind = {
  noun: "segment",
  folder: "segments",
  extensions: [".yaml", ".yml"],
  parse(text, file) {
    const doc = canonical(checked(readYaml(text, file), order, file));
    if (doc.type !== "STATIC" && !doc.condition)
      throw new Refusal(`${file}: needs a condition, or type: STATIC for one whose members are added by hand`);
    return doc;
  },
  write: (doc) => writeYaml(doc),
  needs: (doc) => segmentsIn(doc.condition),
  async list(petrel, names) {
    const found = [];
    for await (const segment of petrel.segments.list()) found.push(segment);
    for (const { id, name } of found) names.add("segment", name, id);
    return found.map((segment) => itemOf(segment, names));
  },
  read: async (petrel, names, { id }) => itemOf(await petrel.segments.get(id), names),
  async create(petrel, names, doc, file) {
    const segment = await petrel.segments.create({ ...bodyOf(doc, names, file), type: typeOf(doc) });
    names.add("segment", doc.name, segment.id);
    return itemOf(segment, names);
  },
  async update(petrel, names, { had, doc, file }) {
    if (typeOf(had.doc) !== typeOf(doc))
      throw new Refusal(`${file}: the type of a segment cannot change. Give the new one another name`);
    const segment = await petrel.segments.update(had.id, bodyOf(doc, names, file), versionOf(had));
    names.add("segment", doc.name, segment.id);
    return itemOf(segment, names);
  },
};

function itemOf(segment: Segment, names: Names) {
  const condition = turnSegments(segment.condition, (id) => names.nameOf("segment", id));
  return { id: segment.id, version: segment.version, doc: canonical({ ...segment, condition }) };
}

function canonical(fields: Record<string, unknown>): Doc {
  const { type, trackMembership } = fields;
  const isStatic = type === "STATIC";
  return inOrder(
    {
      ...fields,
      type: isStatic ? type : undefined,
      trackMembership: trackMembership === true ? true : undefined,
      condition: isStatic ? undefined : fields.condition,
    },
    order,
  ) as Doc;
}

function typeOf({ type }: Doc): "STATIC" | "DYNAMIC" {
  return type === "STATIC" ? "STATIC" : "DYNAMIC";
}

function bodyOf({ name, description, trackMembership, condition }: Doc, names: Names, file: string) {
  const turned = turnSegments(condition, (segment) => names.idOf("segment", segment, file));
  return {
    name,
    description: typeof description === "string" ? description : null,
    trackMembership: trackMembership === true,
    // The service checks the form, and its refusal names the field.
    ...(turned !== undefined && { condition: turned as FilterCondition }),
  };
}
