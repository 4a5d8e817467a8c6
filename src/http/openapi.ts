import { etag } from "hono/etag";
import { lazily } from "../core/lazily";
import { keepAWhile } from "./keep-a-while";
import { open } from "./policy";
import type { AppRouter } from "./router";
import type { AllRoutes } from "./routing";

const document = lazily(() => import("./document"));

/** `/openapi.json`: OpenAPI 3.1, generated from the schemas that validate requests, and loaded with the first call for it. */
export function serveOpenApi(app: AppRouter, allRoutes: AllRoutes): void {
  // Generating the document takes much longer than answering a 304 should. The document depends only on its cache key.
  // Only one is cached, because anyone can call under any host name.
  let cached: { key: string; text: string } | null = null;
  app.get("/openapi.json", open, keepAWhile, etag({ weak: true }), async (c) => {
    const { origin } = new URL(c.req.url);
    const { config } = c.get("platform");
    const key = `${config.maxAttachmentBytes} ${config.readsCopies} ${origin}`;
    if (cached?.key !== key) {
      const { documentOf } = await document();
      cached = { key, text: JSON.stringify(documentOf(await allRoutes(), { origin, config })) };
    }
    return c.body(cached.text, 200, { "Content-Type": "application/json" });
  });
}
