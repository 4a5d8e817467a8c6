import { SQL, StringChunk } from "drizzle-orm";

interface Written {
  sql: string;
  params: unknown[];
}

/**
 * The text and the values of an `sql` template. Drizzle's own conversion checks the kind of every piece a dozen times,
 * which costs more than everything else for a statement. Nearly all our pieces are texts, values and other templates,
 * and need three checks. Null for a template that contains anything else, such as a column or a table.
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

/** The types say that a value is wrapped, but drizzle does not wrap it; see its FakePrimitiveParam. */
function isValue(chunk: unknown): boolean {
  return chunk === null || typeof chunk === "string" || typeof chunk === "number" || typeof chunk === "boolean";
}
