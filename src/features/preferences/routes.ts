import type { Context as HonoContext } from "hono";
import { readForm } from "../../http/form";
import { open } from "../../http/policy";
import { type AppEnv, createRouter } from "../../http/router";
import { choose } from "./choose";
import { confirming } from "./confirm/routes";
import { byLink, managePath, readerOf, withRecipient } from "./link-page";
import { manage } from "./manage-page";
import { show, stylePath } from "./page";
import { paused } from "./pause-page";
import type { Recipient } from "./recipient";
import { Choice } from "./schema";
import { setSubscription } from "./set-subscription";
import { standingOf } from "./standing";
import { style } from "./style";
import { askToSubscribe, subscribed } from "./subscribe-page";
import { askToUnsubscribe, unsubscribed } from "./unsubscribe-page";

/**
 * The recipients' own pages. They need no key, because the token in the URL identifies the person. GET never changes
 * anything, because scanners of mail follow links; the button posts. They are not part of the API, so they are not in
 * its document.
 */
export const preferences = createRouter();

preferences.get(stylePath, open, (c) =>
  c.body(style, 200, { "Content-Type": "text/css; charset=utf-8", "Cache-Control": "public, max-age=3600" }),
);

preferences.get("/unsubscribe/:token", byLink, (c) =>
  withRecipient(c, "unsubscribe", async (recipient) => {
    const standing = standingOf(recipient.contact);
    const reader = readerOf(c, recipient);
    if (standing.is !== "unsubscribed") return show(c, askToUnsubscribe(reader, standing));
    return show(c, unsubscribed(reader, await managePath(recipient)));
  }),
);

preferences.post("/unsubscribe/:token", byLink, async (c) => {
  const form = await readForm(c);
  return withRecipient(c, "unsubscribe", async (recipient) => {
    // The mailbox asked for its user (RFC 8058): nobody reads a page.
    if (form.get("List-Unsubscribe") === "One-Click") {
      await setSubscription(recipient, false);
      return c.body(null, 200);
    }
    if (form.get("action") === "snooze") return pauseInstead(c, recipient, form);
    const after = await setSubscription(recipient, false);
    return show(c, unsubscribed(readerOf(c, after), await managePath(after)));
  });
});

/** The person chose one of the pauses that the page for unsubscribing offers. */
async function pauseInstead(c: HonoContext<AppEnv>, recipient: Recipient, form: Map<string, string>) {
  const choice = Choice.safeParse(Object.fromEntries(form));
  if (!choice.success) {
    return show(c, askToUnsubscribe(readerOf(c, recipient), standingOf(recipient.contact), "unclear"), 422);
  }
  const { recipient: after } = await choose(recipient, choice.data);
  const standing = standingOf(after.contact);
  const reader = readerOf(c, after);
  // Unsubscribed meanwhile: that stays.
  if (standing.is === "unsubscribed") return show(c, unsubscribed(reader, await managePath(after)), 409);
  if (standing.is !== "snoozed") return show(c, askToUnsubscribe(reader, standing, "refused"), 409);
  return show(c, paused(reader, standing.until, await managePath(after)));
}

preferences.get("/subscribe/:token", byLink, (c) =>
  withRecipient(c, "subscribe", async (recipient) => {
    if (!recipient.contact.subscribed) return show(c, askToSubscribe(readerOf(c, recipient)));
    return show(c, subscribed(readerOf(c, recipient), await managePath(recipient)));
  }),
);

preferences.post("/subscribe/:token", byLink, async (c) => {
  await readForm(c);
  return withRecipient(c, "subscribe", async (recipient) => {
    const after = await setSubscription(recipient, true);
    return show(c, subscribed(readerOf(c, after), await managePath(after)));
  });
});

preferences.get("/manage/:token", byLink, (c) =>
  withRecipient(c, "manage", async (recipient) =>
    show(c, manage(readerOf(c, recipient), standingOf(recipient.contact), null)),
  ),
);

preferences.post("/manage/:token", byLink, async (c) => {
  const choice = Choice.safeParse(Object.fromEntries(await readForm(c)));
  return withRecipient(c, "manage", async (recipient) => {
    if (!choice.success) {
      return show(c, manage(readerOf(c, recipient), standingOf(recipient.contact), "unclear"), 422);
    }
    const { recipient: after, isDone } = await choose(recipient, choice.data);
    const page = manage(readerOf(c, after), standingOf(after.contact), isDone ? "saved" : "refused");
    return show(c, page, isDone ? 200 : 409);
  });
});

preferences.route("/", confirming);
