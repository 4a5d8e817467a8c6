import type { Context as HonoContext } from "hono";
import { readForm } from "../../../http/form";
import { type AppEnv, createRouter } from "../../../http/router";
import { byLink, managePath, readerOf, withRecipient } from "../link-page";
import { show } from "../page";
import { paused } from "../pause-page";
import { subscriptionStateOf } from "../subscription-state";
import { unsubscribed } from "../unsubscribe-page";
import { type Confirmed, confirm } from "./confirm";
import { askToConfirm, confirmed, notConfirmed } from "./confirm-page";
import { findRequest, stateOf } from "./confirmation";

export const confirming = createRouter();

confirming.get("/confirm/:token", byLink, (c) =>
  withRecipient(c, "confirm", async (recipient) => {
    const request = await findRequest(recipient);
    return request && answer(c, { recipient, state: stateOf(recipient, request) });
  }),
);

confirming.post("/confirm/:token", byLink, async (c) => {
  await readForm(c);
  return withRecipient(c, "confirm", async (recipient) => {
    const result = await confirm(recipient);
    return result && answer(c, result);
  });
});

async function answer(c: HonoContext<AppEnv>, { recipient, state }: Confirmed): Promise<Response> {
  const reader = readerOf(c, recipient);
  switch (state) {
    case "open":
      return show(c, askToConfirm(reader));
    case "done":
      return afterwards(c, recipient);
    case "expired":
    case "void":
      return show(c, notConfirmed(reader, state), 410);
    case "impossible":
      return show(c, notConfirmed(reader, state), 409);
  }
}

/** Shows the current state. A link confirms only once, so the person may have unsubscribed or paused since. */
async function afterwards(c: HonoContext<AppEnv>, recipient: Confirmed["recipient"]): Promise<Response> {
  const reader = readerOf(c, recipient);
  const manage = managePath(recipient);
  const subscription = subscriptionStateOf(recipient.contact);
  if (subscription.is === "subscribed") return show(c, confirmed(reader, manage));
  return show(
    c,
    subscription.is === "snoozed" ? paused(reader, subscription.until, manage) : unsubscribed(reader, manage),
  );
}
