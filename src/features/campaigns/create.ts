import { sql } from "drizzle-orm";
import { Conflict, Refusal } from "../../core/errors";
import { type Id, newIdAt } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { untilFresh } from "../../db/fresh";
import { isInserted } from "../../db/own-rows";
import { inProject } from "../../db/scope";
import { guard, type Statement } from "../../db/statement";
import type { CampaignRow } from "../../db/tables";
import { recordChange } from "../../engine/audit/record-change";
import type { Context } from "../../platform/context";
import { auditedCampaign } from "./audited";
import { type Draft, draftOf, forgetBodies, storeBodies, warnOfIgnored } from "./draft";
import { addReferences, guardDraft, guardSenders, insertCampaign, sendersOf } from "./save-statements";
import type { CreateCampaign } from "./schema";

/**
 * The maximum number of campaigns of a project. A list counts all of them, so this number bounds the cost of a list.
 */
const maxCampaigns = 10_000;

/** `POST /campaigns`: creates a DRAFT. Throws Invalid, BadRequest, NotFound, UnverifiedSender and Conflict. */
export async function createCampaign(ctx: Context, input: CreateCampaign): Promise<CampaignRow> {
  const id = newIdAt(ctx.now.getTime());
  const bodies = await storeBodies(ctx, id, input);
  try {
    const draft = await draftOf(ctx, input, bodies, null);
    const guards = guardSenders(ctx, sendersOf(draft));
    const saved = await untilFresh(() => saveNew(ctx, id, draft, guards), ctx.random);
    warnOfIgnored(ctx, input, saved);
    return saved;
  } catch (error) {
    if (error instanceof Refusal) forgetBodies(ctx, bodies);
    throw error;
  }
}

/** Inserts a DRAFT, under guards of its content, its audience and the quota. Throws NotFound, Invalid and Conflict. */
export async function saveNew(ctx: Context, id: Id, draft: Draft, guards: Statement[] = []): Promise<CampaignRow> {
  const batch = openBatch(ctx);
  batch.recognise(isInserted("campaigns", ctx, id));
  batch.addAll([...(await guardDraft(ctx, draft)), ...guards, guardQuota(ctx)]);
  recordChange(batch, ctx, auditedCampaign(ctx, id));
  addReferences(batch, ctx, id, draft);
  const saved = batch.add(insertCampaign(ctx, id, draft));
  await batch.commit();
  return saved.one;
}

/** Returns a guard that throws Conflict when the project already has the maximum number of campaigns. */
export function guardQuota(ctx: Context, refuse: (most: number) => Refusal = tooManyCampaigns): Statement {
  const all = sql`SELECT count(*) FROM campaigns WHERE ${inProject(ctx)}`;
  return guard(sql`(${all}) < ${maxCampaigns}`, () => refuse(maxCampaigns));
}

export function tooManyCampaigns(): Conflict {
  return new Conflict("A project may have at most 10,000 campaigns. Nothing was saved.", {
    suggestion: "Delete campaigns that are no longer needed; the records of their emails stay.",
  });
}
