import { sql } from "drizzle-orm";
import type { Referrer } from "../../core/audience/references";
import { publicId } from "../../core/ids";
import { openBatch } from "../../db/batch";
import { asId, asText, columns, type RowReader } from "../../db/rows";
import { inProject } from "../../db/scope";
import { type Statement, statement } from "../../db/statement";
import type { audienceReferences } from "../../db/tables";
import type { Context } from "../../platform/context";

type Kind = (typeof audienceReferences.$inferSelect)["kind"];

interface NamedResource {
  id: string;
  name: string;
}

/** The resources that name a field, event or segment, by kind. */
export interface Usage {
  usedInSegments: NamedResource[];
  usedInCampaigns: NamedResource[];
  usedInWorkflows: NamedResource[];
}

const readReferrer = columns({ id: asId, name: asText });
const readNamed: RowReader<NamedResource> = (raw) => {
  const { id, name } = readReferrer(raw);
  return { id: publicId(id), name };
};

/** The maximum number of resources in each list. A longer list would not help a reader. */
const maxListed = 1_000;

/**
 * Returns the resources that name a field, event or segment, oldest first. `name` is the field as filters write it
 * (`data.plan`), the event's name, or the segment's stored id.
 */
export async function referencesTo(ctx: Context, kind: Kind, name: string): Promise<Usage> {
  const batch = openBatch(ctx);
  const segments = batch.add(selectReferrers(ctx, "segment", { kind, name }));
  const campaigns = batch.add(selectReferrers(ctx, "campaign", { kind, name }));
  const workflows = batch.add(selectReferrers(ctx, "workflow", { kind, name }));
  await batch.commit();
  return { usedInSegments: segments.all, usedInCampaigns: campaigns.all, usedInWorkflows: workflows.all };
}

function selectReferrers(
  ctx: Context,
  referrer: Referrer,
  { kind, name }: { kind: Kind; name: string },
): Statement<NamedResource> {
  return statement(
    sql`SELECT referrer_id AS id, referrer_name AS name FROM audience_references
      WHERE ${inProject(ctx)} AND kind = ${kind} AND name = ${name} AND referrer = ${referrer}
      ORDER BY referrer_id LIMIT ${maxListed}`,
    readNamed,
  );
}
