import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { html } from "hono/html";
import { houseStyle } from "../core/house-style";
import { productVersion } from "../core/product-version";
import { framed, type Html } from "./page";
import { open } from "./policy";
import type { AppEnv, AppRouter } from "./router";
import { type AllRoutes, isKnownPath, routeOf } from "./routing";

/** Serves `/` for people and for programs, and the files that browsers and crawlers request from every host. */
export function serveHome(app: AppRouter): void {
  app.get("/", open, (c) => {
    c.header("Vary", "Accept");
    const links = linksOf(c);
    if (!wantsPage(c)) return c.json({ name: "Petrel", version: productVersion, ...links });
    return showPage(c, "Petrel", home(links));
  });
  app.get("/style.css", open, (c) =>
    c.body(style, 200, { "Content-Type": "text/css; charset=utf-8", "Cache-Control": "public, max-age=3600" }),
  );
  // There is nothing to index: only an API, and pages that belong to one person each.
  app.get("/robots.txt", open, (c) =>
    c.text("User-agent: *\nDisallow: /\n", 200, { "Cache-Control": "public, max-age=86400" }),
  );
}

/** Shows a page to a browser that requests an unknown path. Callers with a key get the error envelope. */
export function missingPage(allRoutes: AllRoutes): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { method, path } = c.req;
    if (method !== "GET" || c.req.header("Authorization") !== undefined || !wantsPage(c)) return next();
    if (routeOf(c) || isKnownPath(await allRoutes(), path)) return next();
    return showPage(c, "Not found · Petrel", notFound, 404);
  };
}

/** Whether the caller is a browser and not a program. */
export function wantsPage(c: HonoContext): boolean {
  return /\btext\/html\b/i.test(c.req.header("Accept") ?? "");
}

type Links = Record<string, string>;

function linksOf(c: HonoContext<AppEnv>): Links {
  const hasOutbox = c.get("platform").config.mail.provider.name === "outbox";
  return {
    docs: "/docs",
    reference: "/docs/reference",
    openapi: "/openapi.json",
    ...(hasOutbox ? { outbox: "/outbox" } : {}),
    health: "/health",
  };
}

const titles: Record<string, [title: string, text: string]> = {
  docs: ["Documents", "The first hour, guides, and what is not promised"],
  reference: ["API reference", "Every operation with an example"],
  openapi: ["OpenAPI document", "The reference for programs"],
  outbox: ["Outbox", "Mail that stays here for you to read"],
  health: ["Health", "Whether this installation answers"],
};

function home(links: Links) {
  return html`<h1>Petrel</h1>
<p>This is an email platform: transactional mail, campaigns, workflows, contacts and events in one API.</p>
<ul>
${Object.entries(links).map(([name, path]) => {
  const [title, text] = titles[name] ?? [path, ""];
  return html`<li><a href="${path}">${title}</a><span>${text}</span></li>`;
})}
</ul>
<p class="quiet">Did an email bring you here? Then its sender uses Petrel. Use the links in that email to unsubscribe.</p>`;
}

const notFound = html`<h1>There is no such page</h1>
<p>The address is incomplete, or the page is gone.</p>
<p><a href="/">What is here</a></p>`;

function showPage(c: HonoContext, title: string, main: Html, status: 200 | 404 = 200) {
  c.header(
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  c.header("X-Content-Type-Options", "nosniff");
  const content = html`<img src="/favicon.svg" alt="" width="40" height="40">
${main}`;
  return c.html(framed({ title, style: "/style.css", main: content }), status);
}

const style = `${houseStyle}
body { display: grid; place-items: start center; padding: 1rem; }
main {
  width: 100%;
  max-width: 34rem;
  margin-top: min(10vh, 5rem);
  background: var(--sheet);
  border: 1px solid var(--line);
  border-radius: 12px;
  padding: 1.75rem 1.5rem;
}
img { display: block; }
h1, p, ul { margin: 0; padding: 0; }
main > * + * { margin-top: 1rem; }
ul { list-style: none; border-block: 1px solid var(--line); }
li { padding: 0.75rem 0; }
li + li { border-top: 1px solid var(--line); }
li a { font-weight: 600; }
li span { display: block; }
li span, .quiet { color: var(--quiet); font-size: 0.9375rem; }
`;
