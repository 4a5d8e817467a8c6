import type { Context as HonoContext } from "hono";
import type { html } from "hono/html";
import { NotFound } from "../../core/errors";
import type { TokenPurpose } from "../../core/tokens";
import { pagePath } from "../../engine/mail/links";
import { readForm } from "../../http/form";
import { open, policy } from "../../http/policy";
import { type AppEnv, createRouter } from "../../http/router";
import { choose } from "./choose";
import {
  askToSubscribe,
  askToUnsubscribe,
  badLink,
  manage,
  type Reader,
  type Standing,
  stylePath,
  subscribed,
  unsubscribed,
} from "./page";
import { findRecipient, type Recipient } from "./recipient";
import { Choice } from "./schema";
import { setSubscription } from "./set-subscription";
import { style } from "./style";

/**
 * The recipients' own pages. They need no key, because the token in the URL identifies the person. GET never changes
 * anything, because scanners of mail follow links; the button posts. They are not part of the API, so they are not in
 * its document.
 */
export const preferences = createRouter();

/** The pages read forms themselves, with a lower limit than API calls. */
const byLink = policy({ key: "signed", maxBody: null });

preferences.get(stylePath, open, (c) =>
  c.body(style, 200, { "Content-Type": "text/css; charset=utf-8", "Cache-Control": "public, max-age=3600" }),
);

preferences.get("/unsubscribe/:token", byLink, (c) =>
  withRecipient(c, "unsubscribe", async (recipient) => {
    if (standingOf(recipient).is !== "unsubscribed") return show(c, askToUnsubscribe(readerOf(recipient)));
    return show(c, unsubscribed(readerOf(recipient), await managePath(recipient)));
  }),
);

preferences.post("/unsubscribe/:token", byLink, async (c) => {
  const form = await readForm(c);
  return withRecipient(c, "unsubscribe", async (recipient) => {
    const after = await setSubscription(recipient, false);
    // The mailbox asked for its user (RFC 8058): nobody reads a page.
    if (form.get("List-Unsubscribe") === "One-Click") return c.body(null, 200);
    return show(c, unsubscribed(readerOf(after), await managePath(after)));
  });
});

preferences.get("/subscribe/:token", byLink, (c) =>
  withRecipient(c, "subscribe", async (recipient) => {
    if (!recipient.contact.subscribed) return show(c, askToSubscribe(readerOf(recipient)));
    return show(c, subscribed(readerOf(recipient), await managePath(recipient)));
  }),
);

preferences.post("/subscribe/:token", byLink, async (c) => {
  await readForm(c);
  return withRecipient(c, "subscribe", async (recipient) => {
    const after = await setSubscription(recipient, true);
    return show(c, subscribed(readerOf(after), await managePath(after)));
  });
});

preferences.get("/manage/:token", byLink, (c) =>
  withRecipient(c, "manage", async (recipient) => show(c, manage(readerOf(recipient), standingOf(recipient), null))),
);

preferences.post("/manage/:token", byLink, async (c) => {
  const choice = Choice.safeParse(Object.fromEntries(await readForm(c)));
  return withRecipient(c, "manage", async (recipient) => {
    if (!choice.success) return show(c, manage(readerOf(recipient), standingOf(recipient), "unclear"), 422);
    const { recipient: after, isDone } = await choose(recipient, choice.data);
    const page = manage(readerOf(after), standingOf(after), isDone ? "saved" : "refused");
    return show(c, page, isDone ? 200 : 409);
  });
});

async function withRecipient(
  c: HonoContext<AppEnv, "/:token">,
  purpose: TokenPurpose,
  answer: (recipient: Recipient) => Promise<Response>,
): Promise<Response> {
  try {
    const recipient = await findRecipient(c.var.platform, purpose, c.req.param("token"));
    if (recipient) return await answer(recipient);
  } catch (error) {
    // Deleted just now: answers as the link will from now on.
    if (!(error instanceof NotFound)) throw error;
  }
  return show(c, badLink(), 404);
}

function standingOf({ contact }: Recipient): Standing {
  if (contact.subscribed) return { is: "subscribed" };
  if (contact.snoozedUntil !== null) return { is: "snoozed", until: contact.snoozedUntil };
  return { is: contact.optedOutAt === null ? "unsaid" : "unsubscribed" };
}

function readerOf({ ctx, contact }: Recipient): Reader {
  return { sender: ctx.project.fromName ?? ctx.project.name, email: contact.email };
}

function managePath({ ctx, subject }: Recipient): Promise<string> {
  return pagePath(ctx, "manage", subject);
}

const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The URL is a secret of its reader: no search engine, cache or other page may learn it. */
function show(c: HonoContext<AppEnv>, page: ReturnType<typeof html>, status: 200 | 404 | 409 | 422 = 200) {
  c.header("Content-Security-Policy", contentSecurityPolicy);
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Referrer-Policy", "no-referrer");
  c.header("X-Robots-Tag", "noindex, nofollow");
  c.header("Cache-Control", "no-store");
  return c.html(page, status);
}
