import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { standingOf, whyPaused } from "../../../core/mail/reputation";
import { openBatch } from "../../../db/batch";
import { asNumber, columns } from "../../../db/rows";
import { inProject } from "../../../db/scope";
import { type Statement, select, statement } from "../../../db/statement";
import { projects } from "../../../db/tables";
import type { Context } from "../../../platform/context";
import { reasonOf } from "../../../platform/log";
import { countsForReputation } from "../../events/email-events";
import { forgetProjects } from "../../projects/cache";
import { pauseOf } from "../../projects/sending-paused";

// The reputation brake pauses a project's marketing email after too many bounces or complaints. It scans nothing, and
// writes no row per email:
// - The row that counts the event `email.sent` changes with each email anyway. It also counts the emails to real
// addresses.
// - A new block begins after each hundred counted emails. A report is added to the block in which its mail was sent.
// - When a block begins, and after each report that counts, the last blocks with 1,000 emails together are added up.
// An email is assigned to a block by its time. When several consumers record at the same moment, some emails may be
// assigned to a neighbouring block, but each report is added to exactly one block. Blocks are in the project's
// database, and the pause is in the control database. If the process dies before it writes the pause, the next report
// or block leads to a new decision. A provider also repeats a report that got no answer.

const mailsPerBlock = 100;

/**
 * The number of blocks that are kept. 1,000 emails fill at most eleven blocks. A few more are kept, because an operator
 * who lifts a pause begins a block early.
 */
const keptBlocks = 20;

const readBlockNumber = columns({ number: asNumber });

/**
 * Begins the next block when the last one has a hundred emails, and returns a row only then. Must come after the events
 * of accepted mail, in the same batch. The emails of this batch belong to the previous block, which began before `at`.
 */
export function insertBlock(ctx: Context, at: number): Statement<{ number: number }> {
  return statement(
    sql`${nextBlock(ctx, at)} WHERE newest.number IS NULL OR mails >= newest.first_mail + ${mailsPerBlock} OR mails < newest.first_mail
      RETURNING number`,
    readBlockNumber,
    // After a lost answer, a block counts as begun. At worst, the project is then judged once too often.
    { again: sql`SELECT 1 AS number` },
  );
}

/** Begins a new block, whose first mail will be the next one. */
export function insertBlockNow(ctx: Context, at: number): Statement {
  return statement(sql`${nextBlock(ctx, at)} WHERE true`);
}

/** The first block of a project begins at time 0, before the emails of its own batch. */
function nextBlock({ project }: Context, at: number): SQL {
  return sql`INSERT INTO sending_blocks (project_id, number, first_mail, started_at)
    SELECT ${project.number}, coalesce(newest.number, 0) + 1, iif(newest.number IS NULL, 0, mails), iif(newest.number IS NULL, 0, ${at})
    FROM (SELECT mails FROM event_names WHERE ${inProject({ project })} AND name = 'email.sent')
    LEFT JOIN sending_blocks newest ON ${inProject({ project }, "newest")}
      AND newest.number = (SELECT max(number) FROM sending_blocks WHERE ${inProject({ project })})`;
}

/**
 * Adds a hard bounce or a complaint to the block in which its email was sent. Must come before the email changes:
 * `isNews` checks the email's state, so that a repeat adds nothing. A report for a deleted block is ignored.
 */
export function updateBlock(
  { project }: Context,
  { reason, isNews, at }: { reason: "bounce" | "complaint"; isNews: SQL; at: number },
): Statement {
  const column = sql.raw(reason === "bounce" ? "bounced" : "complained");
  return statement(
    sql`UPDATE sending_blocks SET ${column} = ${column} + 1
      WHERE ${inProject({ project })} AND number = (
        SELECT number FROM emails e CROSS JOIN sending_blocks
          ON sending_blocks.project_id = e.project_id AND started_at < coalesce(e.sent_at, ${at})
        WHERE ${isNews} AND ${countsForReputation} ORDER BY number DESC LIMIT 1)`,
  );
}

export const readBlock = columns({
  mails: asNumber,
  firstMail: asNumber,
  startedAt: asNumber,
  bounced: asNumber,
  complained: asNumber,
});

/** Selects the last blocks, newest first, each with the number of all emails of the project so far. */
export function selectBlocks(ctx: Context): SQL {
  return sql`SELECT mails, first_mail, started_at, bounced, complained
    FROM event_names n CROSS JOIN sending_blocks ON sending_blocks.project_id = n.project_id
    WHERE ${inProject(ctx, "n")} AND n.name = 'email.sent' ORDER BY number DESC LIMIT ${keptBlocks}`;
}

/** Pauses the project's marketing email if too many of its last emails bounced or drew complaints. */
export async function judgeReputation(ctx: Context): Promise<void> {
  const { sendingCountedFrom } = ctx.project;
  // The cached project may be 30 seconds old. If its pause was lifted meanwhile, the next report or block judges the
  // project.
  if (pauseOf(ctx.project) !== null) return;
  const blocks = await select(ctx.db, selectBlocks(ctx), readBlock);
  const standing = standingOf(blocks, blocks[0]?.mails ?? 0, sendingCountedFrom ?? 0);
  const reason = standing && whyPaused(standing, ctx.config.reputation);
  if (reason !== null) await pauseMarketing(ctx, reason);
}

/**
 * Pauses marketing, unless a pause was lifted since the project was read, because the judged blocks then no longer
 * count.
 */
async function pauseMarketing(ctx: Context, reason: string): Promise<void> {
  const at = ctx.clock().getTime();
  const { number, sendingCountedFrom } = ctx.project;
  const countedFrom = sql`${projects.sendingCountedFrom} IS ${sendingCountedFrom}`;
  const paused = await ctx.control
    .update(projects)
    .set({ sendingPausedReason: reason, sendingPausedAt: at, updatedAt: at })
    .where(and(eq(projects.number, number), isNull(projects.sendingPausedReason), countedFrom))
    .returning({ id: projects.id })
    .get();
  if (!paused) return;
  forgetProjects();
  ctx.log("error", "The marketing email of a project is paused, until an operator sets its sendingPaused to null", {
    ...{ projectId: paused.id, reason },
  });
}

/**
 * Judges the reputation between two calls of a delivery, and deletes old blocks. If that fails, mail is still sent, and
 * the reputation is judged again with the next block.
 */
export async function judgeAsMailGoes(ctx: Context): Promise<void> {
  try {
    const batch = openBatch(ctx);
    batch.add(
      statement(
        sql`DELETE FROM sending_blocks WHERE ${inProject(ctx)}
          AND number <= (SELECT max(number) FROM sending_blocks WHERE ${inProject(ctx)}) - ${keptBlocks}`,
      ),
    );
    await batch.commit();
    await judgeReputation(ctx);
  } catch (error) {
    ctx.log("error", "The reputation of a project could not be judged", {
      ...{ projectId: ctx.project.id, reason: reasonOf(error) },
    });
  }
}
