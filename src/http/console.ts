import type { Context as HonoContext } from "hono";
import { BadRequest, UnknownRoute } from "../core/errors";
import { accessPath, isLetThrough } from "./access-header";
import { notMultipart } from "./body";
import { originOf } from "./origin";
import { megabyte, policy } from "./policy";
import type { AppEnv, AppRouter } from "./router";
import { sessionOf } from "./session-cookie";
import type { People } from "./visitor";

/** The maximum size of a preview, in bytes. No template or campaign is as large. */
const maxPreviewBytes = 6 * megabyte;

/**
 * Serves the console: one page for all its addresses, the files that the page loads, and frames that show mail.
 * `scripts/lib/console` builds the files, which are assets of the Worker.
 */
export function serveConsole(app: AppRouter, people: Pick<People, "findVisitor">): void {
  const page = policy({ key: "open", maxBody: null, isOfConsole: true });
  for (const address of addresses) app.get(address, page, (c) => serveIndex(c, people));
  app.get("/console/assets/:file", page, serveAsset);
  const preview = policy({ key: "open", maxBody: maxPreviewBytes, isUpload: true, isOfConsole: true });
  app.post("/console/preview", preview, answerPreview);
}

const addresses = [
  "/console",
  "/console/account",
  "/console/installation/:page",
  "/console/p/:project",
  "/console/p/:project/:page",
  "/console/p/:project/:page/:id",
  "/console/p/:project/:page/:id/:part",
];

/** Returns the path that signs in a person through Access and then redirects to the requested page. */
function accessPathFrom(url: string): string {
  const { pathname, search } = new URL(url);
  const asked = pathname + search;
  return asked === "/console" ? accessPath : `${accessPath}?to=${encodeURIComponent(asked)}`;
}

/** Whether Access has authenticated a person who is not signed in here and has not chosen another way to sign in. */
async function isFromAccess(c: HonoContext<AppEnv>, { findVisitor }: Pick<People, "findVisitor">): Promise<boolean> {
  const platform = c.get("platform");
  if (!isLetThrough(c) || c.req.query("by") === "mail") return false;
  const session = sessionOf(c);
  if (session === null) return true;
  // The session may have ended although the browser still sends its cookie. When the database does not answer, the page
  // is served, and reports that itself.
  const visitor = await findVisitor(platform, session).catch(() => undefined);
  return visitor === null;
}

async function serveIndex(c: HonoContext<AppEnv>, people: Pick<People, "findVisitor">): Promise<Response> {
  if (await isFromAccess(c, people)) return c.redirect(accessPathFrom(c.req.url), 303);
  const found = await findFile(c, "index.html");
  c.header("Content-Type", "text/html; charset=utf-8");
  c.header("Cache-Control", "no-cache");
  c.header("ETag", found.headers.get("ETag") ?? undefined);
  c.header("Content-Security-Policy", contentSecurityPolicy);
  c.header("Cross-Origin-Opener-Policy", "same-origin");
  c.header("Referrer-Policy", "same-origin");
  return c.newResponse(found.body, found.status as 200 | 304);
}

async function serveAsset(c: HonoContext<AppEnv>): Promise<Response> {
  const file = c.req.param("file") ?? "";
  const type = types[file.slice(file.lastIndexOf(".") + 1)];
  if (!/^[\w-]+\.\w+$/.test(file) || type === undefined) throw notThere(c);
  // The build compresses better than Cloudflare does for each answer: console/compressed.mjs.
  const isCompressed = takesBrotli(c);
  const found = await findFile(c, `assets/${file}${isCompressed ? ".br" : ""}`);
  const headers = new Headers({ "Content-Type": type, Vary: "Accept-Encoding" });
  // The content of this file never changes, because the file's name contains a hash of it.
  headers.set("Cache-Control", "public, max-age=31536000, immutable");
  if (isCompressed) headers.set("Content-Encoding", "br");
  return new Response(found.body, { status: found.status, headers, encodeBody: isCompressed ? "manual" : "automatic" });
}

/**
 * Whether the browser accepts Brotli. Cloudflare replaces the Accept-Encoding header of the request, and keeps the
 * browser's own in `cf`.
 */
function takesBrotli(c: HonoContext<AppEnv>): boolean {
  const ofBrowser = c.req.raw.cf?.clientAcceptEncoding;
  return /\bbr\b/.test(typeof ofBrowser === "string" ? ofBrowser : (c.req.header("Accept-Encoding") ?? ""));
}

const types: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

/**
 * Finds a file. Throws UnknownRoute when there is none. Answers 304 when the request's tag shows that the caller
 * already has the file.
 */
async function findFile(c: HonoContext<AppEnv>, name: string): Promise<Response> {
  const tag = c.req.header("If-None-Match");
  const url = new URL(`/console/${name}`, c.req.url);
  const found = await c.env.ASSETS.fetch(url, tag ? { headers: { "If-None-Match": tag } } : {});
  if (found.status === 404) throw notThere(c);
  return found;
}

function notThere(c: HonoContext<AppEnv>): UnknownRoute {
  return new UnknownRoute(c.req.method, c.req.path, "The console is served where it was built.");
}

// Allows no inline code, and no script from elsewhere.
const contentSecurityPolicy =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; frame-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/**
 * Answers with the HTML that a page of the console posts into a frame, without storing it. The frame's policy is
 * stricter than the page's: it allows the mail's own styles, but no script, no form and nothing from our own server. It
 * allows images of other sites only if the reader wants them.
 */
async function answerPreview(c: HonoContext<AppEnv>): Promise<Response> {
  if (c.req.header("Origin") !== originOf(c.req.url)) {
    throw new BadRequest("Only a page of the console may send this request.", {
      suggestion: "Use POST /preview, which answers with the content as JSON.",
    });
  }
  const form = await c.req.formData();
  const html = form.get("html");
  if (typeof html !== "string") throw notMultipart();
  const images = form.get("images") === "load" ? "data: https: http:" : "data:";
  c.header(
    "Content-Security-Policy",
    `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
  );
  c.header("Referrer-Policy", "no-referrer");
  return c.html(html);
}
