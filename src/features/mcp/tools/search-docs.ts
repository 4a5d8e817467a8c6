import { z } from "zod";
import { findSections, makeSearchable, type Searchable, type Section } from "../../../core/documents/find-sections";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../core/json";
import { textIn } from "../fields";
import { type Desk, readingTool } from "../tool";

const mostFound = 5;
const mostText = 1_500;

export const searchDocs = readingTool({
  name: "search_docs",
  title: "Search the documentation",
  description:
    "Search the documentation of this installation and the operations of its API: how something works, what a field means, " +
    "which limits there are. Returns the passages that fit best.",
  input: z.strictObject({ query: z.string().min(1).max(300).describe("A few words, or a question.") }),
  async run(desk, { query }) {
    const found = findSections(await searchable(desk), query, mostFound);
    const sections = found.map(({ page, heading, text }) => ({ page, heading, text: text.slice(0, mostText) }));
    if (sections.length > 0) return { data: { sections } };
    return { data: { sections }, next: "Nothing fits. Try other words: the pages are in English." };
  },
});

let index: Searchable | undefined;

/**
 * The documents and operations are the same for all projects, so an isolate builds the index once, for its first
 * search.
 */
async function searchable({ api, documents }: Desk): Promise<Searchable> {
  index ??= makeSearchable([...(await documents()), ...operationsIn(await api.get("/openapi.json"))]);
  return index;
}

function operationsIn({ paths = {} }: JsonObject): Section[] {
  return entriesOf(paths).flatMap(([path, item]) =>
    entriesOf(item).flatMap(([method, operation]) => {
      if (!isJsonObject(operation)) return [];
      const heading = `${method.toUpperCase()} ${path}: ${textIn(operation, "summary") ?? ""}`;
      const text = textIn(operation, "description") ?? "";
      return [{ page: "/openapi.json", title: "API reference", heading, text }];
    }),
  );
}

function entriesOf(value: JsonValue): [string, JsonValue][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
