import { SQL, StringChunk } from "drizzle-orm";

interface Written {
  sql: string;
  params: unknown[];
}

/**
 * The text of an `sql` template and its values. Drizzle's own walk asks every piece what kind it is a dozen times, which
 * costs more than all else that is done for a statement. The pieces of nearly all ours are texts, values and other
 * templates, and need three questions. Null for a template that holds anything else, such as a column or a table.
 */
export function textOf(query: SQL): Written | null {
  const written: Written = { sql: "", params: [] };
  return write(query, written) ? written : null;
}

function write({ queryChunks }: SQL, written: Written): boolean {
  for (const chunk of queryChunks) {
    if (chunk instanceof StringChunk) written.sql += chunk.value.join("");
    else if (chunk instanceof SQL) {
      if (!write(chunk, written)) return false;
    } else if (isValue(chunk)) {
      written.sql += "?";
      written.params.push(chunk);
    } else return false;
  }
  return true;
}

/** The types say that a value is wrapped, though drizzle leaves it as it is; see its FakePrimitiveParam. */
function isValue(chunk: unknown): boolean {
  return chunk === null || typeof chunk === "string" || typeof chunk === "number" || typeof chunk === "boolean";
}
