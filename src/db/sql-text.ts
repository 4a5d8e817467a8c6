import { SQL, StringChunk } from "drizzle-orm";

interface SqlText {
  sql: string;
  params: unknown[];
}

/**
 * Returns the text and the values of an `sql` template. Drizzle's own conversion checks the kind of every chunk a dozen
 * times, which takes more time than all other work on a statement. Nearly all our chunks are strings, values and other
 * templates, for which three checks suffice. Returns null for a template with any other chunk, such as a column or a
 * table.
 */
export function textOf(query: SQL): SqlText | null {
  const written: SqlText = { sql: "", params: [] };
  return write(query, written) ? written : null;
}

function write({ queryChunks }: SQL, written: SqlText): boolean {
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

/**
 * Reports whether a chunk is a value. Drizzle's types declare values as wrapped, but drizzle does not wrap them; see
 * its FakePrimitiveParam.
 */
function isValue(chunk: unknown): boolean {
  return chunk === null || typeof chunk === "string" || typeof chunk === "number" || typeof chunk === "boolean";
}
