import { type Counts, noCounts } from "../../src/core/campaigns/counts";
import type { HourCounter, HourCounts } from "../../src/core/campaigns/hours";
import { chunksOf } from "../../src/core/chunks";
import { type Id, newId, textOf } from "../../src/core/ids";
import { openBatch } from "../../src/db/batch";
import { type CountsOfContent, selectCounts } from "../../src/engine/campaigns/counts";
import type { TestProject } from "./project";
import type { World } from "./world";

/** A campaign whose ledger is written, as it is when sending begins. */
export interface TestCampaign {
  id: Id;
  /** Ids of its emails, page by page. */
  pages: Id[][];
  emailIds: Id[];
}

interface Wanted {
  recipients: number;
  perPage?: number;
  /** The names of its variants; recipients take turns. */
  variants?: (string | null)[];
  status?: string;
  provider?: string;
}

const many = 500;

/** Rows as `insertEmails` writes them, with contacts of their own, and the pages of the ledger. */
export async function newCampaign(
  project: TestProject,
  { recipients, perPage = 500, variants = [null], status = "QUEUED", provider = "double" }: Wanted,
): Promise<TestCampaign> {
  const [campaignId, now] = [newId(), Date.now()];
  const emails = Array.from({ length: recipients }, (_, index) => ({ id: newId(), place: index }));
  const people = emails.map(({ place }) => ({
    id: newId(),
    email: `${place}-${textOf(campaignId)}@example.com`.toLowerCase(),
  }));
  for (const chunk of chunksOf(people, many)) {
    await run(
      project,
      `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
        SELECT ?1, value->>'id', value->>'email', 1, '{}', ?2, ?2 FROM json_each(?3)`,
      ...[now, JSON.stringify(chunk)],
    );
  }
  const contents = variants.map((variant) => ({ id: newId(), variant }));
  for (const { id, variant } of contents) {
    await run(
      project,
      `INSERT INTO email_contents (project_id, id, subject, body, from_email, headers, attachments, size, own_data, type, campaign_id,
          variant, link_base, recipients, created_at)
        VALUES (?1, ?2, 'News', '<p>News {{ email }}</p>', ?3, '{}', '[]', 30, '{}', 'MARKETING', ?4, ?5, 'https://petrel.example', ?6, ?7)`,
      ...[id, `news@${project.domain}`, campaignId, variant, recipients, now],
    );
  }
  const isOut = !["QUEUED", "CANCELLED", "SUPPRESSED", "FAILED"].includes(status);
  const rows = emails.map(({ id, place }) => [id, contents[place % contents.length]?.id, people[place]?.id]);
  for (const chunk of chunksOf(rows, many)) {
    await run(
      project,
      `INSERT INTO emails (project_id, id, content_id, contact_id, campaign_id, to_email, source, priority, status, provider,
          next_attempt_at, due_at, created_at, sent_at)
        SELECT ?1, r.value->>0, r.value->>1, c.id, ?2, c.email, 'CAMPAIGN', 2, ?3, ?4, iif(?3 = 'QUEUED', ?5, NULL),
          iif(?3 = 'QUEUED', ?5, NULL), ?5, iif(?6, ?5, NULL)
        FROM json_each(?7) r CROSS JOIN contacts c ON c.project_id = ?1 AND c.id = r.value->>2`,
      ...[campaignId, status, isOut ? provider : null, now, isOut ? 1 : 0, JSON.stringify(chunk)],
    );
  }
  const pages = chunksOf(
    emails.map(({ id }) => id),
    perPage,
  );
  const ranges = pages.map((page) => [page[0], page.at(-1)]);
  await run(
    project,
    `INSERT INTO campaign_pages (project_id, campaign_id, first_id, last_id, part)
      SELECT ?1, ?2, r.value->>0, r.value->>1, 'REST' FROM json_each(?3) r`,
    ...[campaignId, JSON.stringify(ranges)],
  );
  return { id: campaignId, pages, emailIds: emails.map(({ id }) => id) };
}

async function run({ db, number }: TestProject, statement: string, ...values: unknown[]): Promise<void> {
  await db
    .prepare(statement)
    .bind(number, ...values)
    .run();
}

/** The stored counters, by the name of the variant, or "" without one. */
export async function storedCounts(world: World, project: TestProject, { id }: TestCampaign) {
  const { ctx } = await world.context(project);
  const batch = openBatch(ctx);
  const counts = batch.add(selectCounts(ctx, [id]));
  await batch.commit();
  return byVariant(counts.all);
}

export function byVariant(several: CountsOfContent[]): Record<string, Counts> {
  return Object.fromEntries(several.map(({ variant, campaignId: _, ...counts }) => [variant ?? "", counts]));
}

interface EmailState {
  variant: string | null;
  status: string;
  times: string;
}

/** The same counted anew, in another way: from every row, and without SQL's help. A content is gone when all its people are. */
export async function recounted({ db, number }: TestProject, { id }: TestCampaign): Promise<Record<string, Counts>> {
  const times = ["delivered", "opened", "clicked", "bounced", "complained", "unsubscribed"];
  const said = times.map((name) => `iif(e.${name}_at IS NULL, '', ' ${name}')`).join(" || ");
  const { results } = await db
    .prepare(
      `SELECT (SELECT n.variant FROM campaign_counts n WHERE n.project_id = e.project_id
          AND n.campaign_id = e.campaign_id AND n.content_id = e.content_id) AS variant, e.status, ${said} AS times
        FROM emails e WHERE e.project_id = ?1 AND +e.campaign_id = ?2`,
    )
    .bind(number, id)
    .all<EmailState>();
  const found: Record<string, Counts> = {};
  for (const { variant, status, times } of results) {
    found[variant ?? ""] ??= noCounts();
    const counts = found[variant ?? ""] ?? noCounts();
    const has = (name: string) => times.split(" ").includes(name);
    const wasSent = ["SENT", "DELIVERED", "OPENED", "CLICKED", "BOUNCED", "COMPLAINED"].includes(status);
    counts.queued += Number(["QUEUED", "SENDING"].includes(status));
    counts.sent += Number(wasSent);
    counts.delivered += Number(has("delivered") || has("opened") || has("clicked") || has("complained"));
    for (const name of ["failed", "suppressed", "cancelled", "unknown"] as const)
      counts[name] += Number(status === name.toUpperCase());
    for (const name of ["opened", "clicked", "bounced", "complained", "unsubscribed"] as const)
      counts[name] += Number(has(name));
  }
  return found;
}

/** What happened in which hour, counted anew in another way: from every row, and without SQL's help. */
export async function recountedHours(
  { db, number }: TestProject,
  { id }: TestCampaign,
): Promise<Map<number, HourCounts>> {
  const { results } = await db
    .prepare("SELECT * FROM emails WHERE project_id = ? AND +campaign_id = ?")
    .bind(number, id)
    .all<Record<string, string | number | null>>();
  const found = new Map<number, HourCounts>();
  const add = (counter: HourCounter, at: string | number | null | undefined) => {
    if (typeof at !== "number") return;
    const hour = Math.floor(at / 3_600_000);
    const counts = found.get(hour) ?? {
      sent: 0,
      delivered: 0,
      opened: 0,
      clicked: 0,
      bounced: 0,
      complained: 0,
      unsubscribed: 0,
    };
    counts[counter] += 1;
    found.set(hour, counts);
  };
  for (const email of results) {
    const wasSent = ["SENT", "DELIVERED", "OPENED", "CLICKED", "BOUNCED", "COMPLAINED"].includes(String(email.status));
    if (wasSent) add("sent", email.sent_at ?? email.handed_at ?? email.created_at);
    add("delivered", email.delivered_at ?? email.opened_at ?? email.clicked_at ?? email.complained_at);
    for (const counter of ["opened", "clicked", "bounced", "complained", "unsubscribed"] as const)
      add(counter, email[`${counter}_at`]);
  }
  return found;
}

/** How many pages are marked. */
export async function markedPages({ db, number }: TestProject, { id }: TestCampaign): Promise<number> {
  const query =
    "SELECT count(*) AS n FROM campaign_pages WHERE project_id = ? AND campaign_id = ? AND recount_at IS NOT NULL";
  return (await db.prepare(query).bind(number, id).first<number>("n")) ?? 0;
}
