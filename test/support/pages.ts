import { expect } from "vitest";
import type { Answer, TestProject } from "./project";

/** Every entry of a cursor list. Only the first page counts. `between` runs before each further page. */
export async function everyPage(
  project: TestProject,
  path: string,
  { limit, between = async () => {} }: { limit: number; between?: () => Promise<unknown> },
): Promise<Answer["body"][]> {
  const entries = [];
  for (let cursor = "", isFirst = true; ; isFirst = false) {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor ? { cursor } : {}) });
    const { status, body } = await project.api.get(`${path}${path.includes("?") ? "&" : "?"}${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data.length).toBeLessThanOrEqual(limit);
    expect(body.hasMore).toBe(body.cursor !== "");
    if (!isFirst) expect(body.total).toBe(0);
    entries.push(...body.data);
    if (!body.hasMore) return entries;
    cursor = body.cursor;
    await between();
  }
}
