import type { Context } from "hono";
import type { AppEnv } from "./router";

/** Whether the caller asks for a page of the documentation as Markdown, as programs do. */
export function wantsMarkdown(c: Context<AppEnv>): boolean {
  return /\btext\/markdown\b/i.test(c.req.header("Accept") ?? "");
}
