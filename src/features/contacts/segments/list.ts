import { sql } from "drizzle-orm";
import { memberOf } from "../../../core/audience/condition";
import { type Id, publicId } from "../../../core/ids";
import { isoOrNull } from "../../../core/time";
import { asNumber, columns, orNull, type RowReader, wholeRow } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { select } from "../../../db/statement";
import { type SegmentRow, segments } from "../../../db/tables";
import { matchesEach } from "../../../engine/audience/judge";
import { sourceOf, sourcesOf } from "../../../engine/audience/named-segments";
import { getContact } from "../../../engine/contacts/contact";
import type { Context } from "../../../platform/context";
import type { ContactSegments } from "./schema";

interface Seen {
  segment: SegmentRow;
  since: number | null;
}

const readSegment = wholeRow(segments);
const readSince = columns({ since: orNull(asNumber) });
const readSeen: RowReader<Seen> = (raw) => ({ segment: readSegment(raw), ...readSince(raw) });

/**
 * Implements `GET /contacts/{id}/segments`. Reads all segments at once: a project has at most 1,000, with 4 MB of
 * conditions. Throws NotFound.
 */
export async function listContactSegments(ctx: Context, contactId: Id): Promise<ContactSegments> {
  const [contact, all] = await Promise.all([
    getContact(ctx, contactId),
    select(
      ctx.db,
      sql`SELECT s.*, m.created_at AS since FROM segments s LEFT JOIN segment_members m ON ${inProject(ctx, "m")}
          AND m.segment_id = s.id AND m.contact_id = ${contactId}
        WHERE ${inProject(ctx, "s")} ORDER BY s.id DESC`,
      readSeen,
    ),
  ]);
  const rows = all.map(({ segment }) => segment);
  const evaluated = rows.filter((segment) => sourceOf(segment) !== "members");
  const conditions = evaluated.map(({ id }) => memberOf(publicId(id)));
  const matches = await matchesEach(ctx, contact, conditions, { segments: sourcesOf(rows), now: ctx.now });
  const matching = new Set(evaluated.filter((_, index) => matches[index]).map(({ id }) => id));
  const found = all.filter(({ segment, since }) =>
    sourceOf(segment) === "members" ? since !== null : matching.has(segment.id),
  );
  return {
    data: found.map(({ segment, since }) => ({
      ...{ id: publicId(segment.id), name: segment.name, slug: segment.slug, type: segment.type },
      // A segment that is no longer tracked keeps the member rows of its last computation, which are out of date.
      since: isoOrNull(sourceOf(segment) === "members" ? since : null),
    })),
  };
}
