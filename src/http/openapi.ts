import type { Context } from "hono";
import { etag } from "hono/etag";
import { lazily } from "../core/lazily";
import { keepAWhile } from "./keep-a-while";
import { open } from "./policy";
import type { AppEnv, AppRouter } from "./router";
import type { AllRoutes } from "./routing";

const document = lazily(() => import("./document"));

/** Returns the OpenAPI document as JSON, for the origin that the caller used. */
export type DocumentText = (c: Context<AppEnv>) => Promise<string>;

/**
 * Returns a function that returns the document's text. The document is generated from the schemas that validate
 * requests, by code that is loaded with the first call.
 */
export function keepDocument(allRoutes: AllRoutes): DocumentText {
  // Generating the document takes much longer than a 304 should, so it is cached. The document depends only on the
  // values in its cache key. Only one document is cached, because anyone can call under any host name.
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

/** Serves `/openapi.json`, which is in OpenAPI 3.1. */
export function serveOpenApi(app: AppRouter, documentText: DocumentText): void {
  app.get("/openapi.json", open, keepAWhile, etag({ weak: true }), async (c) => {
    return c.body(await documentText(c), 200, { "Content-Type": "application/json" });
  });
}
