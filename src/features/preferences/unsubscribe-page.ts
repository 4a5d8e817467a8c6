import { html } from "hono/html";
import { dayIn } from "../../core/languages/language";
import type { Html } from "../../http/page";
import { manageLink, outcomeLine, page, type Reader, say, senderLine, titled } from "./page";
import { pauseForm } from "./pause-page";
import type { ChoiceOutcome, SubscriptionState } from "./subscription-state";

/**
 * Asks before it unsubscribes, because mail scanners follow links too. Offers a pause to a subscribed person, and shows
 * the end of the current pause to others.
 */
export function askToUnsubscribe(
  reader: Reader,
  subscription: SubscriptionState,
  outcome: ChoiceOutcome | null = null,
): Html {
  const { words } = reader.language;
  const { unsubscribe, common } = words;
  return page(
    reader,
    titled(reader, unsubscribe.title),
    html`${senderLine(reader)}
<h1>${unsubscribe.question}</h1>
${outcomeLine(reader, outcome)}
<p>${say(reader, unsubscribe.effect)}</p>
${subscription.is === "snoozed" ? html`<p>${say(reader, unsubscribe.paused, { date: dayIn(reader.language, subscription.until) })}</p>` : ""}
<form method="post"><button class="main">${unsubscribe.button}</button></form>
${subscription.is === "subscribed" ? pauseForm(reader.language, unsubscribe.orPause) : ""}
<p class="quiet">${common.nothing}</p>`,
  );
}

export function unsubscribed(reader: Reader, managePath: string): Html {
  const { unsubscribe, common } = reader.language.words;
  return page(
    reader,
    unsubscribe.done,
    html`${senderLine(reader)}
<h1>${unsubscribe.done}</h1>
<p>${say(reader, unsubscribe.result)}</p>
${manageLink(reader, common.mistake, managePath)}`,
  );
}
