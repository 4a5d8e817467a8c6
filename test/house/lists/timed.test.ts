import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, it } from "vitest";
import * as tables from "../../../src/db/tables";
import { retention } from "../../../src/engine/jobs/retention";
import { timedWork } from "../../../src/timed";

const timed = timedWork({ listeners: [], runJob: async () => {} });

/** Indexes over times that no test clock moves, and why. */
const exceptions: Record<string, string> = {
  ix_backups_expiry: "backups are of the installation: they are made and deleted in real time",
  ix_backups_project: "a call lists the backups of a project; ix_backups_expiry deletes them",
  ix_campaigns_scheduled: "a call lists what is planned; ix_campaign_runs_due starts it",
  ix_domains_due: "the DNS changes in real time",
  ix_emails_look_up: "a project with a test clock has the outbox, which leaves no mail UNKNOWN",
  ix_emails_scheduled: "a call asks whether a domain is in use; ix_emails_due sends the mail",
  ix_jobs_failed: "a call lists what failed; ix_jobs_ended deletes it",
  ix_jobs_list: "a call lists the jobs; ix_jobs_ended deletes them",
  ix_execution_counts_due: "a count of rows is checked in real time",
  ix_projects_storage: "what is stored is counted in real time",
  ix_sign_in_links_due: "people sign in in real time",
  ix_sign_in_links_email: "a call counts the links of the last hour; ix_sign_in_links_expiry deletes them",
  ix_sign_in_links_invitations: "a call counts the invitations of the last hour; ix_sign_in_links_expiry deletes them",
  ix_sign_in_links_network: "a call counts the links of the last hour; ix_sign_in_links_expiry deletes them",
  ix_template_versions_check: "what is not used any more is deleted in real time",
  ix_templates_updated: "a call lists the templates that changed last",
  ix_trash_list: "a call lists what was deleted; ix_trash_purge ends it",
  ix_trash_purge: "what was deleted is kept for 30 days in real time; calls look at the clock of the project too",
  ix_trash_type: "a call lists what was deleted; ix_trash_purge ends it",
  ix_webhooks_due: "endpoints take turns in real time; ix_webhook_deliveries_due has their deliveries",
  ix_workflow_hosts_due: "hosts take turns in real time; ix_workflow_calls_due has their calls",
};

const ofRetention = Object.values(retention)
  .flatMap((sweeps) => Object.values(sweeps))
  .flatMap((rows) => ("index" in rows ? [rows.index] : []));

/** The names of the columns that an index is over. */
function columnsOf(index: ReturnType<typeof getTableConfig>["indexes"][number]): string[] {
  return index.config.columns.flatMap((column) => ("name" in column ? [column.name] : []));
}

const indexes = Object.values(tables)
  .filter((table) => is(table, SQLiteTable))
  .flatMap((table) => getTableConfig(table).indexes);

const overTimes = indexes
  .filter((index) => columnsOf(index).some((column) => /(At|Until|For)$/.test(column)))
  .map(({ config }) => config.name);

it("what an index finds by a time is moved by a test clock, deleted after a time, or named above", () => {
  const known = [...timed.map(({ index }) => index), ...ofRetention, ...Object.keys(exceptions)];
  expect(overTimes.filter((name) => !known.includes(name))).toEqual([]);
});

it("names no exception that is none", () => {
  const others = [...timed.map(({ index }) => index), ...ofRetention];
  const needed = overTimes.filter((name) => !others.includes(name));
  expect(Object.keys(exceptions).sort()).toEqual(needed.sort());
});

it("names indexes of the schema", () => {
  const names = indexes.map(({ config }) => config.name);
  expect([...timed.map(({ index }) => index), ...ofRetention].filter((name) => !names.includes(name))).toEqual([]);
});
