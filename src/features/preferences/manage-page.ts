import { html } from "hono/html";
import { dayIn, filledIn, type Language } from "../../core/languages/language";
import type { ContactTopic } from "../../engine/contacts/topics";
import type { Html } from "../../http/page";
import { outcomeLine, page, type Reader, senderLine, titled } from "./page";
import { pauseForm } from "./pause-page";
import type { ChoiceOutcome, SubscriptionState } from "./subscription-state";
import { topicList } from "./topic-page";

/** Shows the current state, and the buttons that change it. */
export function manage(
  reader: Reader,
  subscription: SubscriptionState,
  topics: ContactTopic[],
  outcome: ChoiceOutcome | null,
): Html {
  const { manage, common } = reader.language.words;
  return page(
    reader,
    titled(reader, manage.title),
    html`${senderLine(reader)}
<h1>${manage.heading}</h1>
${outcomeLine(reader, outcome)}
<dl>
<div><dt>${manage.address}</dt><dd><bdi class="address">${reader.email}</bdi></dd></div>
<div><dt>${manage.marketing}</dt><dd>${inWords(reader.language, subscription)}</dd></div>
</dl>
${choicesOf(reader.language, subscription, topics.length > 0)}
${topicList(reader, topics, subscription)}
<p class="quiet">${common.unaffected}</p>`,
  );
}

function inWords(language: Language, subscription: SubscriptionState): string {
  const { manage } = language.words;
  if (subscription.is === "snoozed") return filledIn(manage.snoozed, { date: dayIn(language, subscription.until) });
  return manage[subscription.is];
}

function choicesOf(language: Language, subscription: SubscriptionState, hasTopics: boolean): Html {
  const { manage, subscribe, unsubscribe, topics } = language.words;
  // When topics can be left one by one, the button says that it leaves all of them.
  const leave = hasTopics ? topics.everything : unsubscribe.button;
  switch (subscription.is) {
    case "subscribed":
      return html`${pauseForm(language, manage.pauseFor)}
<form method="post"><button name="action" value="unsubscribe">${leave}</button></form>`;
    case "snoozed":
      return html`<p>${manage.afterThat}</p>
<form method="post"><button class="main" name="action" value="unsnooze">${manage.resume}</button><button name="action" value="unsubscribe">${manage.leave}</button></form>`;
    case "unsubscribed":
      return html`<form method="post"><button class="main" name="action" value="subscribe">${manage.again}</button></form>`;
    case "unsaid":
      return html`<form method="post"><button class="main" name="action" value="subscribe">${subscribe.button}</button><button name="action" value="unsubscribe">${leave}</button></form>`;
  }
}
