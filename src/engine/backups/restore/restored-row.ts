import { byCanary, byPerson } from "../../../core/campaigns/hold-reasons";
import { jobTypes } from "../../../core/messages";
import { dayMs } from "../../../core/time";
import { operatorJobs } from "../backup-step";
import { BadBackup } from "./bad-backup";
import { checkedWorkflow } from "./checked-workflow";
import type { Row } from "./read-part";
import type { Changed } from "./state";

// A restored project does nothing that the original may have done since the backup, or may still do: it sends no email
// and makes no call that was under way. The rows remain, and show what became of that work.

/** The project in the backup, and the project into which it is restored. */
export interface Restoring {
  from: { id: string; number: number };
  to: { id: string; number: number };
  /** The base of this installation's URLs, which restored links get; null to leave links as they are. */
  linkBase: string | null;
  now: number;
}

type Change = (row: Row, restoring: Restoring, changed: Changed) => Row;

const restored = "It was not complete when the backup was made from which the project was restored.";

/** The error of emails that were still to be sent when the backup was made. */
export const maybeSent =
  "It was still to be sent when the backup was made from which the project was restored, and may have been sent since. Retry it if it was not.";

/**
 * Types of jobs that send, call or start something: a restore ends them. Other jobs only change the project's own rows,
 * and continue.
 */
const endedJobs = ["emails.retry", "webhooks.try", "workflows.start", "workflows.end", "campaigns.preflight"];

/**
 * The tables with rows that no sweep may find before the release, and the columns of their due times. Each of these
 * tables has a column `clock`.
 */
export const heldTables: Readonly<Record<string, readonly string[]>> = {
  contacts: ["snoozed_until"],
  segments: ["next_count_at", "next_compute_at"],
  workflows: ["next_tick_at"],
  campaign_runs: ["due_at"],
};

const changes: Readonly<Record<string, Change>> = {
  emails: (row, _, changed) => {
    const isOpen = row.status === "QUEUED" || row.status === "SENDING";
    // The provider is not asked about mail of the original project, because it may wrongly answer that it never
    // received the mail.
    const unasked = { ...row, look_up_at: null };
    if (!isOpen) return unasked;
    changed.emails++;
    return { ...unasked, status: "UNKNOWN", error: maybeSent, next_attempt_at: null, due_at: null };
  },
  email_contents: (row, restoring) => ownLinks(ownFile(row, restoring), restoring),
  template_versions: ownFile,
  campaigns: (row, restoring, changed) => {
    const own = { ...ownFile(row, restoring), variants: ownVariants(row, restoring) };
    if (row.status === "SCHEDULED") {
      changed.unscheduledCampaigns++;
      return { ...own, status: "DRAFT", held_reason: null, scheduled_for: null };
    }
    if (row.status !== "SENDING") return own;
    changed.pausedCampaigns++;
    const isCanary = byCanary.some((reason) => reason === row.held_reason);
    return { ...own, held_reason: isCanary ? (row.held_reason ?? null) : byPerson };
  },
  campaign_pages: (row, { now }) => (row.open === 0 ? row : { ...row, recount_at: now }),
  campaign_runs: ownLinks,
  workflows: (row, restoring) => ownLinks(checkedWorkflow(row), restoring),
  trash: (row, restoring, changed) => ({
    ...ownFile(row, restoring),
    content: ownContent(row, restoring, changed),
    // The sweep must not purge an entry before the rows of its resource are restored too.
    purge_at: Math.max(Number(row.purge_at), restoring.now + dayMs),
  }),
  workflow_calls: (row, { now }) => {
    if (row.next_attempt_at === null) return row;
    return { ...row, next_attempt_at: null, request: null, outcome: null, ended_at: now };
  },
  workflow_hosts: (row) => ({ ...row, due_at: null, put_off_until: null, timeouts: 0 }),
  webhooks: (row, { now }, changed) => {
    changed.webhooks++;
    return {
      ...{ ...row, secret: "", due_at: null, put_off_until: null, timeouts: 0, failing_since: null },
      disabled_at: row.disabled_at ?? now,
      disabled_reason:
        "Restored from a backup, which has no secrets: rotate the secret, give the new one to the receiver, and enable the webhook.",
    };
  },
  webhook_deliveries: (row) => {
    return row.status === "PENDING" ? { ...row, status: "FAILED", next_attempt_at: null, error: restored } : row;
  },
  events: (row) => ({ ...row, next_announce_at: null }),
  domains: (row, _, changed) => {
    changed.domains++;
    return {
      ...{ ...row, status: "PENDING", created_with: null },
      ...{ verified_at: null, failing_since: null, next_check_at: null },
    };
  },
  jobs: (row, { now }, changed) => {
    if (row.status !== "queued" && row.status !== "processing") return row;
    // The release sets the time at which an open job continues.
    if (!endedJobs.includes(String(row.type))) return { ...row, next_announce_at: null };
    changed.jobs++;
    return {
      ...row,
      status: "failed",
      reason: `${restored} Start it again.`,
      next_announce_at: null,
      completed_at: now,
    };
  },
};

/**
 * Returns a row as the restored project has it; null for a row that the restore leaves out. Counts the changes in
 * `changed`.
 */
export function restoredRow(table: string, row: Row, restoring: Restoring, changed: Changed): Row | null {
  if (table === "jobs" && !isKeptJob(row)) return null;
  const change = changes[table];
  return withClock(table, change ? change(row, restoring, changed) : row, restoring);
}

function isKeptJob({ type }: Row): boolean {
  return !operatorJobs.includes(String(type)) && jobTypes.some((known) => known === type);
}

/**
 * Sets the clock of a row. A row that follows the project's own clock gets the new number of the project. A row that
 * follows the real clock and has a due time gets that number, too. Until the release, it then follows a clock that
 * stands still, so no sweep finds it.
 */
function withClock(table: string, row: Row, { from, to }: Restoring): Row {
  if (row.clock === undefined) return row;
  if (row.clock === from.number) return { ...row, clock: to.number };
  if (row.clock !== 0) throw new BadBackup(`A row of ${table} follows the clock of another project.`);
  const isDue = (heldTables[table] ?? []).some((column) => row[column] !== null && row[column] !== undefined);
  return isDue ? { ...row, clock: to.number } : row;
}

/** Replaces the project in the key of the row's file. Throws BadBackup when the file belongs to another project. */
function ownFile(row: Row, restoring: Restoring): Row {
  return row.body_key === null || row.body_key === undefined
    ? row
    : { ...row, body_key: ownKey(String(row.body_key), restoring) };
}

/** Makes the row's links lead to this installation. The backup may come from an installation that no longer exists. */
function ownLinks(row: Row, { linkBase }: Restoring): Row {
  return linkBase === null || row.link_base === null || row.link_base === undefined
    ? row
    : { ...row, link_base: linkBase };
}

function ownKey(key: string, { from, to }: Restoring): string {
  const [kind, project, ...rest] = key.split("/");
  if (project !== from.id || rest.length === 0) throw new BadBackup("A row names a file of another project.");
  return [kind, to.id, ...rest].join("/");
}

/** Does the same as `ownFile`, for the files that the variants of a campaign name. */
function ownVariants({ variants = null }: Row, restoring: Restoring): string | null {
  if (variants === null) return null;
  try {
    const read = JSON.parse(String(variants)) as { bodyKey?: string }[];
    return JSON.stringify(
      read.map((variant) =>
        variant.bodyKey === undefined ? variant : { ...variant, bodyKey: ownKey(variant.bodyKey, restoring) },
      ),
    );
  } catch (cause) {
    if (cause instanceof BadBackup) throw cause;
    throw new BadBackup("A campaign has variants that cannot be read.", { cause });
  }
}

/** Changes the rows in an entry of the trash in the same way as rows in their tables. */
function ownContent({ content }: Row, restoring: Restoring, changed: Changed): string {
  try {
    const read = JSON.parse(String(content)) as Record<string, unknown>;
    const tables = Object.entries(read).map(([table, rows]) => [
      table,
      Array.isArray(rows) ? rows.map((row: Row) => restoredRow(table, row, restoring, changed)) : rows,
    ]);
    return JSON.stringify(Object.fromEntries(tables));
  } catch (cause) {
    if (cause instanceof BadBackup) throw cause;
    throw new BadBackup("An entry of the trash has rows that cannot be read.", { cause });
  }
}
