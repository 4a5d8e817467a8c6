import type { Context as HonoContext } from "hono";
import { normalizeEmail } from "../../../core/mail/address";
import { lookAtLink, useLink } from "../../../engine/people/use-link";
import { readForm } from "../../../http/form";
import type { Html } from "../../../http/page";
import { policy } from "../../../http/policy";
import type { AppEnv, AppRouter } from "../../../http/router";
import { browserOf, setSession } from "../../../http/session-cookie";
import { refuseCrossSite } from "../../../http/visitor";
import { linkPage } from "./link-page";

const page = policy({ key: "open", maxBody: null, isOfConsole: true });

/** Adds the pages on which people sign in. The API's document leaves them out. */
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
}

/**
 * Shows a page that may do nothing but post its form to this path. Its URL is a secret, so no other site receives it as
 * a referrer.
 */
function show(c: HonoContext<AppEnv>, html: Html, status: 200 | 410 = 200) {
  c.header(
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  // The browser then sends the form with our origin; without one it is refused.
  c.header("Referrer-Policy", "same-origin");
  return c.html(html, status);
}
