import type { Context as HonoContext } from "hono";
import { isAutomated } from "../../core/tracking/automated";
import { clickPath, pixelPath } from "../../core/tracking/destination";
import { readClickToken, readPixelToken } from "../../core/tracking/token";
import { policy } from "../../http/policy";
import { type AppEnv, createRouter } from "../../http/router";
import { enqueueHit } from "./enqueue-hit";
import { badLink } from "./page";

/**
 * Serves the pixel and the links of mail. The token contains everything, so no row is read, and links work even after
 * the content, the contact or the project is deleted. No visitor's address or user agent is stored. These routes are
 * not part of the API, so they are not in its document.
 */
export const tracking = createRouter();

const byLink = policy({ key: "signed", maxBody: null });

/** A transparent GIF of one pixel. */
const gif = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (letter) =>
  letter.charCodeAt(0),
);

/**
 * A bad token gets the image too, so that the mail shows no broken image. A HEAD request displays nothing, so it does
 * not count as an open.
 */
tracking.get(`${pixelPath}:token`, byLink, (c) => {
  const { platform } = c.var;
  const mail = readPixelToken(platform.config.linkSecrets, c.req.param("token"));
  if (mail && c.req.method !== "HEAD") enqueueHit(platform, mail, { kind: "open", isAutomated: isAutomatedCall(c) });
  sayPrivate(c);
  return c.body(gif, mail ? 200 : 404, { "Content-Type": "image/gif" });
});

tracking.get(`${clickPath}:token`, byLink, (c) => {
  const { platform } = c.var;
  const click = readClickToken(platform.config.linkSecrets, c.req.param("token"));
  const target = click && URL.parse(click.url);
  sayPrivate(c);
  if (!click || !target || !/^https?:$/.test(target.protocol)) return showBadLink(c);
  enqueueHit(platform, click, {
    kind: "click",
    link: click.url,
    number: click.number,
    isAutomated: isAutomatedCall(c),
  });
  return c.body(null, 302, { Location: target.href });
});

function isAutomatedCall(c: HonoContext<AppEnv>): boolean {
  const purposes = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].map((name) => c.req.header(name));
  return isAutomated({ method: c.req.method, userAgent: c.req.header("User-Agent") ?? null, purposes });
}

/**
 * Marks an answer as private. The answer's URL is a secret of the recipient, so no search engine, cache or other page
 * may learn it.
 */
function sayPrivate(c: HonoContext<AppEnv>): void {
  c.header("Cache-Control", "no-store");
  c.header("Referrer-Policy", "no-referrer");
  c.header("X-Robots-Tag", "noindex, nofollow");
}

function showBadLink(c: HonoContext<AppEnv>) {
  c.header(
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  return c.html(badLink, 404);
}
