import type { Context } from "hono";
import { etag } from "hono/etag";
import { html } from "hono/html";
import { lazily } from "../core/lazily";
import type { Env } from "../platform/env";
import { keepAWhile } from "./keep-a-while";
import type { DocumentText } from "./openapi";
import { open } from "./policy";
import type { AppEnv, AppRouter } from "./router";
import { wantsMarkdown } from "./wants-markdown";

const rendering = lazily(() => import("./reference-text"));

/**
 * Serves the API reference at `/docs/reference`, and as Markdown like every page of the documentation. Its script is
 * also served from here, so that the page works offline and contacts no third party.
 */
export function serveReference(app: AppRouter, documentText: DocumentText): void {
  const answerMarkdown = async (c: Context<AppEnv>) => {
    const { referenceText } = await rendering();
    const text = referenceText(JSON.parse(await documentText(c)));
    return c.body(text, 200, { "Content-Type": "text/markdown; charset=utf-8" });
  };

  app.get("/docs/reference.md", open, keepAWhile, etag({ weak: true }), answerMarkdown);

  app.get("/docs/reference", open, keepAWhile, etag({ weak: true }), async (c) => {
    c.header("Vary", "Accept");
    if (wantsMarkdown(c)) return answerMarkdown(c);
    const script = await fetchScript(c.env, new Request(c.req.url, { method: "HEAD" }));
    c.header("Content-Security-Policy", contentSecurityPolicy);
    return c.html(page(`/docs/reference.js?v=${versionOf(script)}`));
  });

  app.get("/docs/reference.js", open, async (c) => {
    const script = await fetchScript(c.env, c.req.raw);
    const answer = new Response(script.body, script);
    // The content of a URL with a version never changes, so browsers fetch its four megabytes only once.
    const isFixed = c.req.query("v") === versionOf(script);
    answer.headers.set("Cache-Control", isFixed ? "public, max-age=31536000, immutable" : "no-cache");
    return answer;
  });

  app.get("/docs/buttons.js", open, keepAWhile, (c) => c.body(nameButtons, 200, { "Content-Type": "text/javascript" }));
}

/** Gives the reference's copy buttons a name for screen readers, because they show only an icon. */
const nameButtons = `new MutationObserver(() => {
  const nameless = 'button[class*="copy-button"]:not([aria-label])';
  for (const button of document.querySelectorAll(nameless)) button.setAttribute("aria-label", "Copy");
}).observe(document.body, { subtree: true, childList: true });
`;

function fetchScript(env: Env, request: Request): Promise<Response> {
  return env.ASSETS.fetch(new Request(new URL("/standalone.js", request.url), request));
}

function versionOf(script: Response): string {
  return script.headers.get("ETag")?.replace(/[^0-9a-z]/gi, "") ?? "";
}

// Allows inline styles, because the reference sets them, but no inline code and nothing from other sites. Allows calls
// to this installation, so that a reader can try requests.
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
  // Turns off everything that calls or links to the services of the reference's maker.
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
    /** The reference's own greys and colours are too light on white: WCAG requires a contrast of 4.5. */
    .light-mode { --scalar-color-accent: #0b5a6b; --scalar-color-2: #595959; --scalar-color-3: #636363;
      --scalar-color-green: #00633f; --scalar-color-red: #b3001b; --scalar-color-yellow: #725400;
      --scalar-color-blue: #005a96; --scalar-color-orange: #9c3600; --scalar-color-purple: #5203d1; }
    .dark-mode { --scalar-color-accent: #7fcadb; --scalar-color-2: #b0b0b0; --scalar-color-3: #9a9a9a;
      --scalar-color-red: #ff7a7a; }
    /* "Required" overlaps the kind of key next to it, and every operation already says whether it takes a key. */
    .rounded-t-xl h2 .font-normal { display: none; }
    /* The default focus outline crosses the letters of these elements, and scrolling code has none. */
    .security-requirement-badge:focus-visible, button.composition-selector.composition-selector:focus-visible,
    button.underline:focus-visible, [class*="combobox-button"]:focus-visible { outline-offset: 2px; }
    /* These do not scroll, because the keyboard cannot scroll an element without anything to focus. */
    .markdown code.hljs.hljs, .markdown code.hljs.hljs span, .scalar-card-content.overflow-auto code { white-space: pre-wrap; overflow-wrap: anywhere; overflow: visible; }
    ul.endpoints.endpoints, .scalar-card-content.overflow-auto { max-height: none; overflow: visible; }
    /* A link to an operation focuses its whole section, which the keyboard cannot reach otherwise. */
    [tabindex="-1"]:focus-visible { outline: none; }
    /* The default for deprecated fields is too pale. */
    .property--deprecated.property--deprecated > * { opacity: 1; }
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
<script src="/docs/buttons.js"></script>
<script src="${script}"></script>
</body>
</html>`;
}
