import { html } from "hono/html";
import { filledIn } from "../../core/languages/language";
import type { ContactTopic } from "../../engine/contacts/topics";
import type { Html } from "../../http/page";
import { manageLink, outcomeLine, page, type Reader, say, senderLine, titled } from "./page";
import { pauseForm } from "./pause-page";
import type { ChoiceOutcome, SubscriptionState } from "./subscription-state";

/** Asks whether to leave the topic of the mail, or everything. */
export function askToLeave(
  reader: Reader,
  topic: ContactTopic,
  subscription: SubscriptionState,
  outcome: ChoiceOutcome | null = null,
): Html {
  const { topics, unsubscribe, common } = reader.language.words;
  return page(
    reader,
    titled(reader, unsubscribe.title),
    html`${senderLine(reader)}
<h1>${unsubscribe.question}</h1>
${outcomeLine(reader, outcome)}
<p>${say(reader, topics.effect, { topic: nameOf(topic) })}</p>
<form method="post"><button class="main">${about(topic, topics.leave)}</button>${everythingButton(reader)}</form>
${subscription.is === "subscribed" ? pauseForm(reader.language, unsubscribe.orPause) : ""}
<p class="quiet">${common.nothing}</p>`,
  );
}

/** Confirms that a topic was left. */
export function left(reader: Reader, topic: ContactTopic, managePath: string): Html {
  const { topics, common } = reader.language.words;
  const done = about(topic, topics.done);
  return page(
    reader,
    done,
    html`${senderLine(reader)}
<h1>${done}</h1>
<p>${say(reader, topics.result, { topic: nameOf(topic) })}</p>
${manageLink(reader, common.mistake, managePath)}
<form method="post">${everythingButton(reader)}</form>`,
  );
}

/** Lists each topic with its state and the button that changes it, on the page with all choices. */
export function topicList(
  { language }: Reader,
  topics: ContactTopic[],
  subscription: SubscriptionState,
): Html | string {
  if (topics.length === 0) return "";
  const { words } = language;
  const isOverruled = subscription.is === "unsubscribed" || subscription.is === "snoozed";
  return html`<h2>${words.topics.heading}</h2>
${isOverruled ? html`<p>${words.topics.overruled}</p>` : ""}
<dl class="topics">${topics.map(
    (topic) => html`
<div><dt>${nameOf(topic)}</dt><dd>${topic.isIn ? words.manage.subscribed : words.manage.unsaid}${
      topic.description === null ? "" : html`<p class="quiet" dir="auto">${topic.description}</p>`
    }<form method="post"><input type="hidden" name="topic" value="${topic.slug}"><button name="action" value="${
      topic.isIn ? "leave" : "join"
    }">${about(topic, topic.isIn ? words.topics.leave : words.topics.join)}</button></form></dd></div>`,
  )}
</dl>`;
}

function everythingButton({ language }: Reader): Html {
  return html`<button name="action" value="unsubscribe">${language.words.topics.everything}</button>`;
}

function about({ name }: ContactTopic, text: string): string {
  return filledIn(text, { topic: name });
}

function nameOf({ name }: ContactTopic): Html {
  return html`<bdi>${name}</bdi>`;
}
