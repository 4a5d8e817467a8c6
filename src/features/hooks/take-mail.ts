import { type SQL, sql } from "drizzle-orm";
import { domainOf } from "../../core/mail/address";
import type { ReceivedMail } from "../../core/mail/notices/received";
import { dayMs } from "../../core/time";
import { openBatch } from "../../db/batch";
import { asNumber, asText, columns } from "../../db/rows";
import { inProject } from "../../db/scope";
import { select, statement } from "../../db/statement";
import { insertEvents } from "../../engine/events/record";
import { findProject } from "../../engine/projects/project";
import { forProject, type Platform } from "../../platform/context";

/**
 * Records a received mail as an event `email.received` of the sender's contact, in each project that has a verified
 * domain to which the mail was addressed. No content is stored, and a sender who is not a contact is ignored. A From
 * header can be forged, so the event does not prove who wrote the mail.
 */
export async function takeMail(platform: Platform, provider: string, mail: ReceivedMail): Promise<void> {
  const reached = await findReached(platform, mail);
  let recorded = 0;
  for (const { projectId, to } of reached) recorded += await record(platform, provider, mail, projectId, to);
  if (recorded === 0) {
    platform.log("info", "A received mail is not recorded: its sender is not a contact, or it was recorded before", {
      ...{ provider, projects: reached.length },
    });
  }
}

interface Reached {
  projectId: number;
  /** The address at the project's domain. */
  to: string;
}

const readDomain = columns({ projectId: asNumber, domain: asText });

/**
 * Finds the projects to which the mail was sent. The envelope's recipients are authoritative, but forwarded mail has
 * the original address only in its headers.
 */
async function findReached(platform: Platform, { delivered, written }: ReceivedMail): Promise<Reached[]> {
  const domains = JSON.stringify([...new Set([...delivered, ...written].map(domainOf))]);
  const rows = await select(
    platform.control,
    sql`SELECT v.project_id, v.domain FROM json_each(${domains}) r CROSS JOIN verified_domains v ON v.domain = r.value`,
    readDomain,
  );
  const projects = new Map(rows.map(({ domain, projectId }) => [domain, projectId]));
  const reachedBy = (addresses: string[]) =>
    new Map(
      addresses.toReversed().flatMap((to) => {
        const projectId = projects.get(domainOf(to));
        return projectId === undefined ? [] : [[projectId, to]];
      }),
    );
  const brought = reachedBy(delivered);
  return [...(brought.size > 0 ? brought : reachedBy(written))].map(([projectId, to]) => ({ projectId, to }));
}

/** How long a notice is remembered. Providers repeat a notice for at most a few days. */
const rememberedMs = 7 * dayMs;

/**
 * Records the event. Returns 1, or 0 if nothing was recorded. The same batch stores that the notice was taken, so a
 * repeated notice records nothing.
 */
async function record(
  platform: Platform,
  provider: string,
  { receivedId, from, isAutomatic }: ReceivedMail,
  projectId: number,
  to: string,
): Promise<number> {
  const project = await findProject(platform, projectId);
  if (!project) return 0;
  const ctx = forProject(platform, project);
  const key = `${provider}:${receivedId}`;
  const data = JSON.stringify(isAutomatic ? { to, automated: true } : { to });
  const now = platform.now.getTime();
  const sender: SQL = sql`FROM contacts c WHERE ${inProject(ctx, "c")} AND c.email = ${from}
    AND NOT EXISTS (SELECT 1 FROM idempotency_effects i
      WHERE ${inProject(ctx, "i")} AND i.kind = 'received' AND i.key = ${key})`;
  const batch = openBatch(ctx);
  const events = batch.add(
    insertEvents(ctx, {
      rows: sql`SELECT c.project_id, 'email.received' AS name, c.id AS contact_id, NULL AS email_id, ${data} AS data ${sender}`,
    }),
  );
  batch.add(
    statement(
      sql`INSERT INTO idempotency_effects (project_id, kind, key, request, hash, response, created_at, expires_at)
        SELECT c.project_id, 'received', ${key}, ${`POST /hooks/${provider}`}, '', '{}', ${now}, ${now + rememberedMs} ${sender}`,
    ),
  );
  await batch.commit();
  return events.count;
}
