import type { Context } from "hono";
import { etag } from "hono/etag";
import { lazily } from "../core/lazily";
import { keepAWhile } from "./keep-a-while";
import { open } from "./policy";
import type { AppEnv, AppRouter } from "./router";
import type { AllRoutes } from "./routing";

const document = lazily(() => import("./document"));

/** The OpenAPI document as JSON, for the address by which a caller came. */
export type DocumentText = (c: Context<AppEnv>) => Promise<string>;

/** Returns the document's text, generated from the schemas that validate requests, and loaded with the first call for it. */
export function keepDocument(allRoutes: AllRoutes): DocumentText {
  // Generating the document takes much longer than answering a 304 should. The document depends only on its cache key.
  // Only one is cached, because anyone can call under any host name.
  let cached: { key: string; text: string } | null = null;
  return async (c) => {
    const { origin } = new URL(c.req.url);
    const { config } = c.get("platform");
    const key = `${config.maxAttachmentBytes} ${config.readsCopies} ${origin}`;
    if (cached?.key !== key) {
      const { documentOf } = await document();
      cached = { key, text: JSON.stringify(documentOf(await allRoutes(), { origin, config })) };
    }
    return cached.text;
  };
}

/** `/openapi.json`: OpenAPI 3.1. */
export function serveOpenApi(app: AppRouter, documentText: DocumentText): void {
  app.get("/openapi.json", open, keepAWhile, etag({ weak: true }), async (c) => {
    return c.body(await documentText(c), 200, { "Content-Type": "application/json" });
  });
}
