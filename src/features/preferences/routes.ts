import type { Context as HonoContext } from "hono";
import type { ContactTopic } from "../../engine/contacts/topics";
import { readForm } from "../../http/form";
import { open } from "../../http/policy";
import { type AppEnv, createRouter } from "../../http/router";
import { choose } from "./choose";
import { confirming } from "./confirm/routes";
import { byLink, managePath, readerOf, withRecipient } from "./link-page";
import { manage } from "./manage-page";
import { type Reader, show, stylePath } from "./page";
import { paused } from "./pause-page";
import type { Recipient } from "./recipient";
import { Choice } from "./schema";
import { setSubscription } from "./set-subscription";
import { style } from "./style";
import { askToSubscribe, subscribed } from "./subscribe-page";
import { type ChoiceOutcome, type SubscriptionState, subscriptionStateOf } from "./subscription-state";
import { askToLeave, left } from "./topic-page";
import { findTopicOfMail, findTopics, leave } from "./topics";
import { askToUnsubscribe, unsubscribed } from "./unsubscribe-page";

/**
 * The pages for recipients. They need no key, because the token in the URL identifies the person. GET never changes
 * anything, because mail scanners follow links; the buttons post. The pages are not part of the API, so they are not in
 * its document.
 */
export const preferences = createRouter();

preferences.get(stylePath, open, (c) =>
  c.body(style, 200, { "Content-Type": "text/css; charset=utf-8", "Cache-Control": "public, max-age=3600" }),
);

preferences.get("/unsubscribe/:token", byLink, (c) =>
  withRecipient(c, "unsubscribe", async (recipient) => {
    const subscription = subscriptionStateOf(recipient.contact);
    const reader = readerOf(c, recipient);
    if (subscription.is === "unsubscribed") return show(c, unsubscribed(reader, managePath(recipient)));
    const topic = await findTopicOfMail(recipient);
    if (topic?.hasLeft) return show(c, left(reader, topic, managePath(recipient)));
    return show(c, askWhich(reader, topic, subscription));
  }),
);

preferences.post("/unsubscribe/:token", byLink, async (c) => {
  const form = await readForm(c);
  return withRecipient(c, "unsubscribe", async (recipient) => {
    // A mailbox makes this request on behalf of its user (RFC 8058), so no person reads the answer.
    if (form.get("List-Unsubscribe") === "One-Click") {
      await leave(recipient);
      return c.body(null, 200);
    }
    if (form.get("action") === "snooze") return pauseInstead(c, recipient, form);
    const reader = readerOf(c, recipient);
    if (form.get("action") === "unsubscribe") await setSubscription(recipient, false);
    else {
      const topic = await leave(recipient);
      if (topic) return show(c, left(reader, topic, managePath(recipient)));
    }
    return show(c, unsubscribed(reader, managePath(recipient)));
  });
});

/** Returns the page that asks whether to leave the mail's topic or, if the mail has none, whether to unsubscribe. */
function askWhich(
  reader: Reader,
  topic: ContactTopic | null,
  subscription: SubscriptionState,
  outcome: ChoiceOutcome | null = null,
) {
  return topic ? askToLeave(reader, topic, subscription, outcome) : askToUnsubscribe(reader, subscription, outcome);
}

/** Pauses mail instead of unsubscribing. The person chose a pause on the unsubscribe page. */
async function pauseInstead(c: HonoContext<AppEnv>, recipient: Recipient, form: Map<string, string>) {
  const choice = Choice.safeParse(Object.fromEntries(form));
  if (!choice.success) {
    const [topic, subscription] = [await findTopicOfMail(recipient), subscriptionStateOf(recipient.contact)];
    return show(c, askWhich(readerOf(c, recipient), topic, subscription, "unclear"), 422);
  }
  const { recipient: after } = await choose(recipient, choice.data);
  const subscription = subscriptionStateOf(after.contact);
  const reader = readerOf(c, after);
  // The person has unsubscribed meanwhile, and that takes precedence over a pause.
  if (subscription.is === "unsubscribed") return show(c, unsubscribed(reader, managePath(after)), 409);
  if (subscription.is !== "snoozed") {
    return show(c, askWhich(reader, await findTopicOfMail(after), subscription, "refused"), 409);
  }
  return show(c, paused(reader, subscription.until, managePath(after)));
}

preferences.get("/subscribe/:token", byLink, (c) =>
  withRecipient(c, "subscribe", async (recipient) => {
    const topic = await findTopicOfMail(recipient);
    if (!recipient.contact.subscribed || topic?.isIn === false) return show(c, askToSubscribe(readerOf(c, recipient)));
    return show(c, subscribed(readerOf(c, recipient), managePath(recipient)));
  }),
);

preferences.post("/subscribe/:token", byLink, async (c) => {
  await readForm(c);
  return withRecipient(c, "subscribe", async (recipient) => {
    // A person who subscribes again from an email also joins the mail's topic.
    const topic = await findTopicOfMail(recipient);
    const after = await setSubscription(recipient, true, topic?.slug);
    return show(c, subscribed(readerOf(c, after), managePath(after)));
  });
});

preferences.get("/manage/:token", byLink, (c) =>
  withRecipient(c, "manage", async (recipient) => show(c, await managePage(c, recipient, null))),
);

preferences.post("/manage/:token", byLink, async (c) => {
  const choice = Choice.safeParse(Object.fromEntries(await readForm(c)));
  return withRecipient(c, "manage", async (recipient) => {
    if (!choice.success) return show(c, await managePage(c, recipient, "unclear"), 422);
    const { recipient: after, outcome } = await choose(recipient, choice.data);
    return show(c, await managePage(c, after, outcome), statuses[outcome]);
  });
});

preferences.route("/", confirming);

const statuses = { saved: 200, unclear: 422, refused: 409 } as const;

async function managePage(c: HonoContext<AppEnv>, recipient: Recipient, outcome: ChoiceOutcome | null) {
  return manage(readerOf(c, recipient), subscriptionStateOf(recipient.contact), await findTopics(recipient), outcome);
}
