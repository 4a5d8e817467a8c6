import { type SQL, sql } from "drizzle-orm";
import type { JsonObject } from "../../../core/json";
import { type EmailStatus, movedByHit } from "../../../core/mail/status";
import { type Hit, hitKey, hitKeyLength, maxHits } from "../../../core/tracking/hit";
import { openBatch } from "../../../db/batch";
import { inProject } from "../../../db/scope";
import { type Statement, statement } from "../../../db/statement";
import type { Context } from "../../../platform/context";
import { isFirstOfLink, updateLinks } from "../../campaigns/links";
import { updateMarked } from "../../campaigns/mark-pages";
import { insertEmailEvents } from "../../events/email-events";
import { updateDeliveredOf, updateSent } from "./report";

/**
 * Records opens and clicks of a project's mail in one batch: either those that we tracked, or those that a provider
 * tracked in mail that it sent. Each hit counts once, even when it is reported repeatedly: the row of an email stores
 * the keys of all counted hits, up to `maxHits`.
 *
 * A hit proves that the provider accepted the mail. A person's hit also proves that the mail was delivered. Acceptance
 * and delivery are recorded first, if they are not recorded yet. Nothing is recorded about an erased contact, or about
 * mail that was never sent.
 */
export async function recordHits(
  ctx: Context,
  hits: readonly Hit[],
  { provider, providerMessageId }: Reporter = { provider: null, providerMessageId: null },
): Promise<void> {
  const once = [...new Map(hits.map((hit) => [`${hit.emailId}${hit.id}`, hit])).values()];
  const inOrder = once.toSorted((one, other) => one.at - other.at);
  const isMeant = sql`e.to_email <> '' AND ${provider === null ? sql`e.provider IS NOT NULL` : sql`e.provider = ${provider}`}`;
  const batch = openBatch(ctx);
  batch.addAll(updateSent(ctx, emailsOf(inOrder), { isMeant, providerMessageId }));
  batch.addAll(
    updateDeliveredOf(
      ctx,
      emailsOf(inOrder.filter((hit) => !isOfScanner(hit))).map((emailId) => ({ emailId })),
      isMeant,
    ),
  );
  batch.addAll(updateHits(ctx, inOrder, isMeant));
  await batch.commit();
}

/** The provider that reports the hits. Both fields are null for hits that we tracked. */
interface Reporter {
  provider: string | null;
  providerMessageId: string | null;
}

function emailsOf(hits: readonly Hit[]): Hit["emailId"][] {
  return [...new Set(hits.map(({ emailId }) => emailId))];
}

/**
 * Whether the hit comes from a scanner, whose clicks do not count. Image proxies fetch on behalf of a reader, so their
 * opens count.
 */
function isOfScanner({ kind, isAutomated }: Hit): boolean {
  return kind === "click" && isAutomated;
}

type Kind = keyof typeof maxHits;

function kindOf(hit: Hit): Kind {
  if (hit.kind === "open") return "opens";
  return hit.isAutomated ? "automatedClicks" : "clicks";
}

/**
 * Returns the statements that record hits. Events are inserted before the update of the emails, because the update
 * makes the hits known, and only new hits have events.
 */
function updateHits(ctx: Context, hits: readonly Hit[], isMeant: SQL): Statement[] {
  if (hits.length === 0) return [];
  const items = JSON.stringify(itemsOf(ctx, hits));
  const isNew = sql`${isMeant} AND e.sent_at IS NOT NULL AND instr(coalesce(e.hits, ''), r.value->>'key') = 0
    AND r.value->>'before' + ${countedSoFar} < r.value->>'limit'`;
  const at = sql`r.value->>'at'`;
  const of = (kind: Kind) => sql`FILTER (WHERE r.value->>'kind' = ${kind})`;
  // A campaign counts people, so only a person's first open and first click change its counters.
  const isFirst = sql`(r.value->>'kind' = 'opens' AND e.opened_at IS NULL
    OR r.value->>'kind' = 'clicks' AND e.clicked_at IS NULL)`;
  return [
    updateMarked(ctx, {
      from: sql`json_each(${items}) r CROSS JOIN emails e`,
      where: sql`e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId' AND ${isNew} AND ${isFirst}`,
    }),
    insertEmailEvents(ctx, { items, where: isNew }),
    ...(hits.some(({ number }) => number) ? [updateLinks(ctx, items, isNew)] : []),
    statement(
      sql`UPDATE emails AS e SET hits = coalesce(e.hits, '') || h.keys,
          opens = e.opens + h.opens, opened_at = coalesce(min(e.opened_at, h.opened_at), e.opened_at, h.opened_at),
          clicked_links = coalesce(coalesce(e.clicked_links, ',') || h.links || ',', e.clicked_links),
          clicks = e.clicks + h.clicks, clicked_at = coalesce(min(e.clicked_at, h.clicked_at), e.clicked_at, h.clicked_at),
          status = CASE ${movedWhen("click", sql`h.clicks`)} ${movedWhen("open", sql`h.opens`)} ELSE e.status END
        FROM (SELECT e.id, group_concat(r.value->>'key', '') AS keys,
            count(*) ${of("opens")} AS opens, min(${at}) ${of("opens")} AS opened_at,
            group_concat(DISTINCT r.value->>'number') FILTER (WHERE ${isFirstOfLink}) AS links,
            count(*) ${of("clicks")} AS clicks, min(${at}) ${of("clicks")} AS clicked_at
          FROM json_each(${items}) r
          CROSS JOIN emails e ON e.project_id = r.value->>'projectId' AND e.id = r.value->>'emailId'
          WHERE ${isNew} GROUP BY e.id) h
        WHERE ${inProject(ctx, "e")} AND e.id = h.id`,
    ),
  ];
}

/** How many hits of the item's kind are already counted in the row of its email. */
const countedSoFar: SQL = sql.raw(`CASE r.value->>'kind' WHEN 'opens' THEN e.opens WHEN 'clicks' THEN e.clicks
  ELSE length(coalesce(e.hits, '')) / ${hitKeyLength} - e.opens - e.clicks END`);

function movedWhen(kind: "open" | "click", hits: SQL): SQL {
  const { from, to } = movedByHit[kind];
  return sql`WHEN ${hits} > 0 AND ${isOneOf(from)} THEN ${to}`;
}

/** Inlines the statuses, which are constants. */
function isOneOf(statuses: readonly EmailStatus[]): SQL {
  return sql.raw(`e.status IN (${statuses.map((status) => `'${status}'`).join(", ")})`);
}

function itemsOf(ctx: Context, hits: readonly Hit[]) {
  const counted = new Map<string, number>();
  return hits.map((hit) => {
    const kind = kindOf(hit);
    const name = `${kind} ${hit.emailId}`;
    const before = counted.get(name) ?? 0;
    counted.set(name, before + 1);
    return {
      ...{
        projectId: ctx.project.number,
        emailId: hit.emailId,
        key: hitKey(hit),
        at: ctx.project.testClock ? ctx.clock().getTime() : hit.at,
      },
      // `before` is the number of earlier hits of the same kind and email in this batch, which are not in the row yet.
      ...{ kind, before, limit: maxHits[kind] },
      event: hit.kind === "open" ? "email.opened" : "email.clicked",
      number: hit.number ?? 0,
      eventData: eventData(hit),
    };
  });
}

function eventData({ link, isAutomated }: Hit): JsonObject {
  return { ...(link === undefined ? {} : { link }), ...(isAutomated ? { automated: true } : {}) };
}
