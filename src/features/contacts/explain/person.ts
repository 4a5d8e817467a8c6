import { sql } from "drizzle-orm";
import type { Reason } from "../../../core/campaigns/verdict";
import { type Id, publicId, timeOf } from "../../../core/ids";
import { isoOrNull } from "../../../core/time";
import { asId, asNumber, asText, columns, orNull } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { selectOne } from "../../../db/statement";
import type { ContactRow } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import type { Because } from "./schema";

const readFacts = columns({
  suppressedAt: orNull(asNumber),
  suppressedFor: orNull(asText),
  choseTopicAt: orNull(asNumber),
  leftId: orNull(asId),
  leftFor: orNull(asText),
});

/** Facts about a contact that can keep mail from being sent to it. */
export type Person = ReturnType<typeof readFacts> & { contact: ContactRow; topicId: Id | null };

/** Reads when and why a contact unsubscribed and was suppressed, and when it last made a choice about the topic. */
export async function findPerson(ctx: Context, contact: ContactRow, topicId: Id | null): Promise<Person> {
  const left = sql`events e INDEXED BY ix_events_name WHERE ${inProject(ctx, "e")}
    AND e.name = 'contact.unsubscribed' AND e.contact_id = ${contact.id} ORDER BY e.id DESC LIMIT 1`;
  const suppression = sql`suppressions s WHERE ${inProject(ctx, "s")} AND s.email = ${contact.email}`;
  const facts = await selectOne(
    ctx.db,
    sql`SELECT (SELECT s.created_at FROM ${suppression}) AS suppressed_at, (SELECT s.reason FROM ${suppression}) AS suppressed_for,
      (SELECT ct.at FROM contact_topics ct WHERE ${inProject(ctx, "ct")} AND ct.contact_id = ${contact.id}
        AND ct.topic_id = ${topicId}) AS chose_topic_at,
      (SELECT e.id FROM ${left}) AS left_id, (SELECT e.data->>'reason' FROM ${left}) AS left_for`,
    readFacts,
  );
  return { ...facts, contact, topicId };
}

/** Adds the known facts about a contact to a reason that concerns the contact. Returns null for any other reason. */
export function becauseOfPerson(person: Person, { code, message }: Reason): Because | null {
  const { contact, topicId, suppressedAt, suppressedFor, choseTopicAt } = person;
  const ofContact = { type: "contact" as const, id: publicId(contact.id) };
  switch (code) {
    case "unsubscribed":
      return { at: isoOrNull(leftAt(person)), code, message: whyUnsubscribed(person), source: ofContact };
    case "snoozed":
      return { at: isoOrNull(contact.optedOutAt), code, message, source: ofContact };
    case "suppressed":
      if (suppressedFor === null) return null;
      return {
        at: isoOrNull(suppressedAt),
        code,
        message: `The address is on the suppression list: ${suppressedFor}`,
        source: { type: "suppression", id: contact.email },
      };
    case "topic":
      if (topicId === null) return null;
      return { at: isoOrNull(choseTopicAt), code, message, source: { type: "topic", id: publicId(topicId) } };
    default:
      return null;
  }
}

function leftAt({ contact, leftId }: Person): number | null {
  return contact.optedOutAt ?? (contact.subscribed || leftId === null ? null : timeOf(leftId));
}

function whyUnsubscribed({ contact, leftFor }: Person): string {
  if (contact.subscribed) return "The contact was not subscribed then, but is subscribed now";
  const known = leftFor === null ? undefined : whyLeft[leftFor];
  if (known !== undefined) return known;
  if (contact.optedOutBy === "PERSON") return "The contact unsubscribed";
  if (contact.optedOutBy === "API") return "An API call unsubscribed the contact";
  return "The contact was never subscribed";
}

/** Why a contact unsubscribed, by the `reason` in the data of `contact.unsubscribed`. */
const whyLeft: Record<string, string> = {
  unsubscribe_page: "The contact unsubscribed on a page, or with one click in an email program",
  bounce: "A bounce of an earlier email unsubscribed the contact",
  complaint: "The contact marked an earlier email as spam, which unsubscribed the contact",
};
