import type { OpenAPIHono } from "@hono/zod-openapi";
import { open } from "./policy";
import type { AppEnv } from "./router";

/** A petrel in flight. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0f5666"/><path d="M2.6 13.2c3.7-3.5 7.9-4 11 .4.7 1 1.3 2.2 2.4 2.2s1.7-1.2 2.4-2.2c3.1-4.4 7.3-3.9 11-.4-4-.9-6.6.6-8.3 3.5-1.3 2.2-2.7 4.3-5.1 4.3s-3.8-2.1-5.1-4.3c-1.7-2.9-4.3-4.4-8.3-3.5z" fill="#fff"/></svg>`;

/** `/favicon.svg`: the icon of every page we serve. */
export function serveIcon(app: OpenAPIHono<AppEnv>): void {
  app.get("/favicon.svg", open, (c) =>
    c.body(icon, 200, { "Content-Type": "image/svg+xml", "Cache-Control": "public, max-age=86400" }),
  );
}
