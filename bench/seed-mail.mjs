import { dayMs, idOf, inChunks, openDatabase, placeOf, withoutIndexes } from "./seed.mjs";

const spanMs = 90 * dayMs;
const contentColumns =
  "project_id, id, subject, from_email, headers, attachments, size, own_data, type, template_id, campaign_id, created_at";

/**
 * Fills a project with mail of the last 90 days. Every second tenth of it is that of a campaign, whose emails share a
 * content; each of the others has one of its own, a third of them by a template. One email in 500 bounced, one in 5,000
 * failed, and one in 2,000 is a test.
 */
export function seedMail(state, { id, mails }) {
  const control = openDatabase(state, "DB");
  const { number, shard } = placeOf(control, id);
  control.close();
  const database = openDatabase(state, shard);
  const startedAt = Date.now() - spanMs;
  const tenth = mails / 10;
  const madeAt = (n) => `(${startedAt} + (${n}) * ${Math.floor(spanMs / mails)})`;
  const campaign = (which) => idOf(madeAt(`(2 * ${which} + 1) * ${tenth}`), which);
  const template = idOf(`${startedAt}`, "7");
  const numbered = (numbers) =>
    `(SELECT n, CASE WHEN n / ${tenth} % 2 = 1 THEN n / ${tenth} / 2 END AS part FROM (${numbers}))`;
  withoutIndexes(database, ["emails", "campaigns"], () => {
    inChunks(5, (numbers) =>
      database.exec(`
        INSERT INTO email_contents (${contentColumns})
        SELECT ${number}, ${campaign("n")}, 'News ' || n, 'news@bench.test', '{}', '[]', 100, '[]', 'MARKETING', NULL, ${campaign("n")}, 0
        FROM (${numbers});
        INSERT INTO campaign_pages (project_id, campaign_id, first_id, last_id, part, recount_at)
        SELECT ${number}, ${campaign("n")}, ${idOf(madeAt(`(2 * n + 1) * ${tenth}`), "0")}, ${idOf(madeAt(`(2 * n + 2) * ${tenth}`), "0")},
          'rest', NULL FROM (${numbers});
        INSERT INTO campaigns (project_id, id, name, status, audience_type, type, subject, from_email, body, search_text,
          created_at, updated_at, sent_at, completed_at)
        SELECT ${number}, ${campaign("n")}, 'News ' || n, 'SENT', 'ALL', 'MARKETING', 'News ' || n, 'news@bench.test', '<p>News</p>',
          'news ' || n, from_at, from_at, from_at, from_at + ${spanMs / 10}
        FROM (SELECT n, ${madeAt(`(2 * n + 1) * ${tenth}`)} AS from_at FROM (${numbers}))`),
    );
    inChunks(mails, (numbers) =>
      database.exec(`
        INSERT INTO emails (project_id, id, content_id, contact_id, campaign_id, to_email, source, status, attempts, created_at,
          sent_at, delivered_at, opened_at, bounced_at)
        SELECT ${number}, ${idOf("at", "n")}, CASE WHEN part IS NULL THEN ${idOf("at", "n")} ELSE ${campaign("part")} END,
          c.id, CASE WHEN part IS NOT NULL THEN ${campaign("part")} END, c.email,
          CASE WHEN part IS NOT NULL THEN 'CAMPAIGN' WHEN n % 1000 = 9 THEN 'TEST' ELSE 'TRANSACTIONAL' END,
          CASE WHEN n % 5000 = 7 THEN 'FAILED' WHEN n % 500 = 8 THEN 'BOUNCED' WHEN n % 10 = 3 THEN 'OPENED' ELSE 'DELIVERED' END,
          1, at, at, at, CASE WHEN n % 10 = 3 THEN at END, CASE WHEN n % 500 = 8 THEN at END
        FROM (SELECT n, part, ${madeAt("n")} AS at FROM ${numbered(numbers)})
          JOIN contacts c ON c.rowid = (SELECT min(rowid) FROM contacts WHERE project_id = ${number}) + n;
        INSERT INTO email_contents (${contentColumns})
        SELECT ${number}, ${idOf(madeAt("n"), "n")}, 'Receipt ' || n, 'shop@bench.test', '{}', '[]', 100, '[]', 'TRANSACTIONAL',
          CASE n % 3 WHEN 0 THEN ${template} END, NULL, 0
        FROM ${numbered(numbers)} WHERE part IS NULL`),
    );
  });
  database.close();
}
