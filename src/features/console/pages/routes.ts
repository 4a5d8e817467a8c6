import type { Context as HonoContext } from "hono";
import { NotAuthenticated, UnknownRoute } from "../../../core/errors";
import { normalizeEmail } from "../../../core/mail/address";
import { lookAtLink, useLink } from "../../../engine/people/use-link";
import { accessHeader } from "../../../http/access-header";
import { readForm } from "../../../http/form";
import type { Html } from "../../../http/page";
import { policy } from "../../../http/policy";
import type { AppEnv, AppRouter } from "../../../http/router";
import { browserOf, setSession } from "../../../http/session-cookie";
import { refuseCrossSite } from "../../../http/visitor";
import { verifiedAddress } from "../access/assertion";
import { accessPage, refusalPage } from "../access/page";
import { signInByAccess } from "../access/sign-in";
import { linkPage } from "./link-page";

const page = policy({ key: "open", maxBody: null, isOfConsole: true });

/** Adds the pages on which people sign in. They are not in the OpenAPI document. */
export function addPages(router: AppRouter): void {
  router.get("/console/session/link/:token", page, async (c) => {
    const link = await lookAtLink(c.get("platform"), c.req.param("token"), browserOf(c));
    return show(c, linkPage(link), link.is === "used up" ? 410 : 200);
  });

  router.post("/console/session/link/:token", page, async (c) => {
    refuseCrossSite(c);
    const said = normalizeEmail((await readForm(c)).get("email") ?? "");
    setSession(c, await useLink(c.get("platform"), c.req.param("token"), browserOf(c), said));
    return c.redirect("/console", 303);
  });
  addAccess(router);
}

/** Adds the page with the button that signs in a person authenticated by Access. */
function addAccess(router: AppRouter): void {
  router.get("/console/session/access", page, (c) =>
    orSayWhy(c, async () => show(c, accessPage(await addressOf(c), wantedPage(c)))),
  );

  router.post("/console/session/access", page, (c) => {
    refuseCrossSite(c);
    return orSayWhy(c, async () => {
      setSession(c, await signInByAccess(c.get("platform"), browserOf(c), await addressOf(c)));
      return c.redirect(wantedPage(c), 303);
    });
  });
}

/** Returns the page of the console that the link asks for, or `/console` if it asks for a page outside the console. */
function wantedPage(c: HonoContext<AppEnv>): string {
  const url = URL.parse(c.req.query("to") || "/console", c.req.url);
  return url !== null && /^\/console(\/|$)/.test(url.pathname) ? url.pathname + url.search : "/console";
}

async function orSayWhy(c: HonoContext<AppEnv>, run: () => Promise<Response>): Promise<Response> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof NotAuthenticated)) throw error;
    return show(c, refusalPage(error, wantedPage(c)), 401);
  }
}

/**
 * Returns the address that Access has verified. Throws UnknownRoute if Access is not set up, or did not let the request
 * through.
 */
function addressOf(c: HonoContext<AppEnv>): Promise<string> {
  const platform = c.get("platform");
  const { access } = platform.config;
  const assertion = c.req.header(accessHeader);
  if (access === null || assertion === undefined) {
    throw new UnknownRoute(c.req.method, c.req.path, "Cloudflare Access signs nobody in at this address.");
  }
  return verifiedAddress(platform, access, assertion);
}

/**
 * Shows a page whose policy only permits our styles, our images and posting its form to us. The URL is a secret, so no
 * other site receives it as a referrer.
 */
function show(c: HonoContext<AppEnv>, html: Html, status: 200 | 401 | 410 = 200) {
  c.header(
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  // This policy makes the browser send an `Origin` header with the form. A form without this header is refused.
  c.header("Referrer-Policy", "same-origin");
  return c.html(html, status);
}
