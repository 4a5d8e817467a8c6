import type { Context as HonoContext } from "hono";
import { UnknownRoute } from "../core/errors";
import { wantsPage } from "./home";
import { open } from "./policy";
import type { AppEnv, AppRouter } from "./router";
import { wantsMarkdown } from "./wants-markdown";

/**
 * Serves the documentation, whose first page is `/docs`. Each page is also available as Markdown, at its address with
 * `.md` and for programs that ask for it. `scripts/lib/site` builds the files, which are assets of the Worker.
 */
export function serveDocs(app: AppRouter): void {
  app.get("/docs", open, (c) => servePage(c, "index"));
  app.get("/docs.md", open, (c) => serveFile(c, "index.md"));
  app.get("/docs/:file", open, (c) => {
    const { file } = c.req.param();
    return file.includes(".") ? serveFile(c, file) : servePage(c, file);
  });
  app.get("/llms.txt", open, (c) => serveFile(c, "llms.txt"));
}

async function servePage(c: HonoContext<AppEnv>, name: string): Promise<Response> {
  c.header("Vary", "Accept");
  return serveFile(c, `${name}.${wantsMarkdown(c) ? "md" : "html"}`);
}

async function serveFile(c: HonoContext<AppEnv>, name: string): Promise<Response> {
  const isName = /^[a-z0-9.-]+$/.test(name) && name !== missing;
  const found = isName ? await findFile(c, name, c.req.header("If-None-Match")) : null;
  return found ? answerFile(c, found, name) : answerMissing(c);
}

async function answerMissing(c: HonoContext<AppEnv>): Promise<Response> {
  const page = await findFile(c, missing);
  if (page && wantsPage(c)) return answerFile(c, page, missing, 404);
  const advice = page ? "The documents begin at /docs." : "The documents are missing in this installation's build.";
  throw new UnknownRoute(c.req.method, c.req.path, advice);
}

/** The page that `scripts/lib/site` makes for unknown addresses. */
const missing = "404.html";

/** Finds a file. Returns null when there is none, and a 304 when `tag` shows that the caller already has the file. */
async function findFile(c: HonoContext<AppEnv>, name: string, tag?: string): Promise<Response | null> {
  const url = new URL(`/docs/${name}`, c.req.url);
  const found = await c.env.ASSETS.fetch(url, tag ? { headers: { "If-None-Match": tag } } : {});
  return found.status === 404 ? null : found;
}

function answerFile(c: HonoContext<AppEnv>, found: Response, name: string, status = found.status): Response {
  const ending = name.slice(name.lastIndexOf(".") + 1);
  c.header("Content-Type", types[ending]);
  c.header("ETag", found.headers.get("ETag") ?? undefined);
  // A file whose name contains a hash of its content never changes.
  const isFixed = /\.[0-9a-f]{12}\.\w+$/.test(name);
  c.header("Cache-Control", isFixed ? "public, max-age=31536000, immutable" : "public, max-age=300");
  if (ending === "html") c.header("Content-Security-Policy", contentSecurityPolicy);
  return c.newResponse(found.body, status as 200 | 304 | 404);
}

const types: Record<string, string> = {
  html: "text/html; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
};

// Allows no inline code, and nothing from elsewhere.
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
