import type { Petrel, PutWorkflowDocument } from "petrel-client";
import { readYaml, writeYaml } from "../front-matter";
import { checked } from "./checked";
import type { Doc } from "./doc";
import type { Kind, ServerItem } from "./kind";
import type { Names } from "./names";
import { canonical, documentOf, insistOnFields, readDocument, workflowFields } from "./workflow-doc";

export const workflows: Kind = {
  noun: "workflow",
  folder: "workflows",
  extensions: [".yaml", ".yml"],
  parse(text, file) {
    const fields = checked(readYaml(text, file), workflowFields, file);
    insistOnFields(fields, file);
    return canonical(fields);
  },
  write: (doc) => writeYaml(doc),
  async list(petrel, names, keysOf) {
    const found: ServerItem[] = [];
    for await (const { id } of petrel.workflows.list({ pageSize: 100 }))
      found.push(await readWorkflow(petrel, names, { id, kept: keysOf(id) }));
    return found;
  },
  read: (petrel, names, { id, keys = {} }) => readWorkflow(petrel, names, { id, kept: keys }),
  async create(petrel, names, doc, file) {
    const { id } = await petrel.workflows.create(workflowBody(doc, names, file, {}));
    return readWorkflow(petrel, names, { id, kept: {} });
  },
  async update(petrel, names, { had, doc, file, leaving }) {
    const { id, version, keys = {} } = had;
    const { moveTo, isForced } = leaving;
    const query = { ...(moveTo !== undefined && { moveTo: keys[moveTo] ?? moveTo }), ...(isForced && { force: true }) };
    const body = workflowBody(doc, names, file, keys);
    await petrel.workflows.putDocument(id, { ...body, ...(version !== undefined && { version }) }, query);
    return readWorkflow(petrel, names, { id, kept: keys });
  },
};

async function readWorkflow(
  petrel: Petrel,
  names: Names,
  { id, kept }: { id: string; kept: Record<string, string> },
): Promise<ServerItem> {
  const document = await petrel.workflows.getDocument(id);
  return { id, version: document.version, ...readDocument(document, names, kept) };
}

/** Returns the document in the service's form. The service checks it, and its refusal names the field. */
export function workflowBody(doc: Doc, names: Names, file: string, keys: Record<string, string>): PutWorkflowDocument {
  return documentOf(doc, names, file, keys) as unknown as PutWorkflowDocument;
}
