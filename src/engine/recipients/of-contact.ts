import { sql } from "drizzle-orm";
import { filterText, shownValue } from "../../core/audience/filter-text";
import type { Reason, RecipientVerdict } from "../../core/campaigns/verdict";
import { textOf } from "../../core/ids";
import { iso, isoOrNull } from "../../core/time";
import { asFlag, asText, columns, orNull } from "../../db/rows";
import { inProject } from "../../db/scope";
import { selectOne } from "../../db/statement";
import type { CampaignRow, ContactRow } from "../../db/tables";
import type { Context } from "../../platform/context";
import { type JudgedFilter, judge } from "../audience/judge";
import { wantsMail } from "../mail/accept/wanted";
import { whyWithheld, withheld } from "../mail/withhold";
import { Frozen, freeze } from "./frozen";
import { whyHeld } from "./of-email";
import { findRun } from "./run-row";

/**
 * Returns the verdict on a contact that has no email of the campaign. The verdict depends on the frozen audience, and
 * on the contact as it is now.
 */
export async function verdictOfContact(
  ctx: Context,
  campaign: CampaignRow,
  contact: ContactRow,
): Promise<RecipientVerdict> {
  const isFrozen = campaign.frozen !== null;
  const frozen = isFrozen ? Frozen.parse(campaign.frozen) : await freeze(ctx, campaign);
  const about = { basis: isFrozen ? ("FROZEN" as const) : ("DRAFT" as const), asOf: ctx.now.toISOString() };
  const [absent, found] = await Promise.all([whyAbsent(ctx, contact, frozen), findObstacles(ctx, campaign, contact)]);
  if (absent !== null) {
    // Returns all reasons at once. Otherwise, fixing one would only reveal the next.
    const reasons = [...absent, ...whyNoMail(contact, found)];
    return { inAudience: false, outcome: "NOT_IN_AUDIENCE", reasons, ...about };
  }
  if (!found.isWanted) {
    return { inAudience: true, outcome: "LEFT_OUT", reasons: leftOutFor(contact, found), ...about };
  }
  return { inAudience: true, ...(await whatAwaits(ctx, campaign, contact, found)), ...about };
}

/** Returns why the contact is not in the audience; null when it is. */
async function whyAbsent(ctx: Context, contact: ContactRow, frozen: Frozen): Promise<Reason[] | null> {
  const { condition, segments, at, upTo } = frozen;
  if (textOf(contact.id) > textOf(upTo)) {
    return [{ code: "created_later", message: `The contact was created after ${iso(at)}, when sending began` }];
  }
  if (condition === null) return null;
  const judged = await judge(ctx, contact, { condition, segments: new Map(segments), now: new Date(at) });
  if (judged.matches) return null;
  // All unmet filters are returned: a condition has at most 100.
  const unmet = judged.filters.filter(({ matches }) => !matches);
  return unmet.map((one) => ({ code: "filter", message: unmetMessage(one) }));
}

function unmetMessage({ filter, actual }: JudgedFilter): string {
  const seen = actual === null || actual === undefined ? "there is none" : `it is ${shownValue(actual)}`;
  return `${filterText(filter)} does not match: ${seen}`;
}

const readObstacles = columns({
  isWanted: asFlag,
  withheld: orNull(asText),
  suppressedFor: orNull(asText),
  isInTopic: asFlag,
});
type Obstacles = ReturnType<typeof readObstacles>;

/** Returns the reasons why the contact would not get this kind of mail now. */
export async function findWhyNoMail(ctx: Context, kind: KindOfContent, contact: ContactRow): Promise<Reason[]> {
  return whyNoMail(contact, await findObstacles(ctx, kind, contact));
}

type KindOfContent = Pick<CampaignRow, "type" | "topicId">;

/** Reads the conditions that also decide which emails a campaign inserts. */
function findObstacles(ctx: Context, { type, topicId }: KindOfContent, contact: ContactRow): Promise<Obstacles> {
  const reason = whyWithheld(ctx, { type, topicId });
  return selectOne(
    ctx.db,
    sql`SELECT ${wantsMail({ type, topicId })} AS is_wanted, ${reason} AS withheld,
        (SELECT s.reason FROM suppressions s WHERE s.project_id = c.project_id AND s.email = c.email) AS suppressed_for,
        ${wantsMail({ type, topicId })} OR NOT c.subscribed AS is_in_topic
      FROM contacts c WHERE ${inProject(ctx, "c")} AND c.id = ${contact.id}`,
    readObstacles,
  );
}

/**
 * Returns all reasons why the contact does not get this kind of mail, in the order in which the reasons are counted.
 */
function leftOutFor({ subscribed, snoozedUntil }: ContactRow, { suppressedFor, isInTopic }: Obstacles): Reason[] {
  const suppressed = `${withheld.suppressed}: ${suppressedFor}`;
  const snoozed = `The contact has paused its email until ${isoOrNull(snoozedUntil)}`;
  return [
    ...(suppressedFor === null ? [] : [{ code: "suppressed" as const, message: suppressed }]),
    ...(snoozedUntil === null ? [] : [{ code: "snoozed" as const, message: snoozed }]),
    ...(subscribed || snoozedUntil !== null
      ? []
      : [{ code: "unsubscribed" as const, message: "The contact is not subscribed" }]),
    ...(isInTopic
      ? []
      : [{ code: "topic" as const, message: "The contact does not get mail of the campaign's topic" }]),
  ];
}

/**
 * Returns the reasons why the contact would not get this kind of mail if it were in the audience. Only a suppression
 * stops TRANSACTIONAL mail.
 */
function whyNoMail(contact: ContactRow, found: Obstacles): Reason[] {
  if (!found.isWanted) return leftOutFor(contact, found);
  return whyWithheldFor(found.withheld);
}

function whyWithheldFor(error: string | null): Reason[] {
  const code = error === null ? undefined : codesOfWithheld[error];
  return error === null || code === undefined ? [] : [{ code, message: error }];
}

const codesOfWithheld: Record<string, "suppressed" | "unsubscribed" | "topic"> = {
  [withheld.suppressed]: "suppressed",
  [withheld.unsubscribed]: "unsubscribed",
  [withheld.leftTopic]: "topic",
};

/** Returns the outcome for a contact that wants the campaign's mail but has none yet. */
async function whatAwaits(
  ctx: Context,
  campaign: CampaignRow,
  contact: ContactRow,
  { withheld: error }: Obstacles,
): Promise<Pick<RecipientVerdict, "outcome" | "reasons">> {
  const coming = await whatIsComing(ctx, campaign, contact);
  if (coming === null) {
    const message =
      campaign.status === "CANCELLED"
        ? "The campaign was cancelled before it reached the contact"
        : "The contact would get the campaign now, but was left out when the campaign reached it";
    return { outcome: "LEFT_OUT", reasons: [{ code: "changed", message }] };
  }
  const reasons = whyWithheldFor(error);
  return reasons.length === 0 ? { outcome: "WAITING", reasons: [coming] } : { outcome: "WITHHELD", reasons };
}

/** Returns why the campaign has not reached the contact yet; null when it no longer will. */
async function whatIsComing(
  ctx: Context,
  { id, status, scheduledFor, heldReason }: CampaignRow,
  contact: ContactRow,
): Promise<Reason | null> {
  switch (status) {
    case "DRAFT":
      return { code: "draft", message: "The campaign is a draft: the contact would get it if it were sent now" };
    case "SCHEDULED":
      return { code: "scheduled", message: `The campaign is scheduled for ${isoOrNull(scheduledFor)}` };
    case "SENDING": {
      const { phase, after } = (await findRun(ctx, id))?.progress ?? {};
      const isBefore =
        phase === "measure" || (phase === "enumerate" && textOf(contact.id) > textOf(after ?? contact.id));
      if (!isBefore) return null;
      return heldReason === null
        ? { code: "not_reached", message: "The campaign has not reached the contact yet" }
        : whyHeld(heldReason);
    }
    case "SENT":
    case "CANCELLED":
      return null;
  }
}
