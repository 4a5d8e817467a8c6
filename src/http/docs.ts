import type { OpenAPIHono } from "@hono/zod-openapi";
import { etag } from "hono/etag";
import { html } from "hono/html";
import type { Env } from "../platform/env";
import { keepAWhile } from "./keep-a-while";
import { open } from "./policy";
import type { AppEnv } from "./router";

/** `/docs`: the API reference. We serve its script ourselves, so that it works offline and contacts no third party. */
export function serveDocs(app: OpenAPIHono<AppEnv>): void {
  app.get("/docs", open, keepAWhile, etag({ weak: true }), async (c) => {
    const script = await fetchScript(c.env, new Request(c.req.url, { method: "HEAD" }));
    c.header("Content-Security-Policy", contentSecurityPolicy);
    return c.html(page(`/docs/reference.js?v=${versionOf(script)}`));
  });

  app.get("/docs/reference.js", open, async (c) => {
    const script = await fetchScript(c.env, c.req.raw);
    const answer = new Response(script.body, script);
    // A URL with a version never changes its content, so browsers fetch the four megabytes once.
    const isFixed = c.req.query("v") === versionOf(script);
    answer.headers.set("Cache-Control", isFixed ? "public, max-age=31536000, immutable" : "no-cache");
    return answer;
  });
}

function fetchScript(env: Env, request: Request): Promise<Response> {
  return env.ASSETS.fetch(new Request(new URL("/standalone.js", request.url), request));
}

function versionOf(script: Response): string {
  return script.headers.get("ETag")?.replace(/[^0-9a-z]/gi, "") ?? "";
}

// The reference sets inline styles; everything else is closed. It may call this installation, to try requests.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const configuration = JSON.stringify({
  url: "/openapi.json",
  favicon: "/favicon.svg",
  withDefaultFonts: false,
  // Everything that would call or link to the services of the reference's maker is off.
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  // Keeps the order of the schemas, which groups related fields.
  orderSchemaPropertiesBy: "preserve",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  customCss: `
    :root { --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
    .light-mode { --scalar-color-accent: #0b5a6b; }
    .dark-mode { --scalar-color-accent: #7fcadb; }
    /* "Required" lies under the kind of key beside it, and every operation here says whether it takes one. */
    .rounded-t-xl h2 .font-normal { display: none; }
    /* The line of the keyboard's focus ran through the letters of these, and code that scrolls had none. */
    .security-requirement-badge:focus-visible, button.composition-selector.composition-selector:focus-visible,
    button.underline:focus-visible, [class*="combobox-button"]:focus-visible { outline-offset: 2px; }
    code.hljs.hljs.hljs:focus-visible { outline: 1px solid var(--scalar-color-accent); outline-offset: -1px; }`,
});

function page(script: string) {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Petrel API reference</title>
<link rel="icon" href="/favicon.svg">
</head>
<body>
<noscript>The reference needs JavaScript. The same description is in <a href="/openapi.json">/openapi.json</a>.</noscript>
<script id="api-reference" data-configuration="${configuration}"></script>
<script src="${script}"></script>
</body>
</html>`;
}
