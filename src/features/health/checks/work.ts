import { counted, duration, someOf } from "../../../core/operating/counted";
import { fail, ok, warn } from "../../../core/operating/health-finding";
import { schedules, silentSchedules } from "../../../core/operating/schedules";
import { hourMs, secondMs } from "../../../core/time";
import { readCronRuns } from "../../../engine/operating/cron-runs";
import { openMoves } from "../../../engine/operating/open-moves";
import { type HealthCheck, sumOf, worstProjects } from "../look";

/** Checks that no queue gave up on a message. */
export const deadLetters: HealthCheck = {
  name: "dead_letters",
  async examine({ control }) {
    const dead = (await control()).deadLetters;
    if (dead.length === 0) return ok("No queue gave up on any message within the last day.");
    const total = dead.reduce((sum, { messages }) => sum + messages, 0);
    return warn(`Queues gave up on ${counted(total, "message")} within the last day.`, {
      detail: someOf(dead.map(({ queue, messages }) => `${queue}: ${counted(messages, "message")}`)),
      mend:
        "GET /admin/dead-letters shows them, and POST /admin/dead-letters/{id}/retry sends one again. " +
        "The sweeps find most of their rows without the messages.",
    });
  },
};

/** Checks that background jobs succeed. */
export const jobs: HealthCheck = {
  name: "jobs",
  async examine(look) {
    const states = await look.databases();
    const failed = sumOf(states, (state) => state.failedJobs);
    const failing = sumOf(states, (state) => state.failingJobs);
    if (failed + failing === 0) return ok("No job failed within the last day.");
    return warn("Background jobs fail.", {
      detail: `${counted(failed, "job")} failed within the last day, and ${counted(failing, "open job")} have failed for over an hour.${await worstProjects(look, states, "jobs")}`,
      mend: "GET /jobs?status=failed with the project's key says why. The log of the Worker has each failure.",
    });
  },
};

/**
 * The longest time that a fence can stand before this check fails. While it stands, normally only for a moment, its
 * project cannot be changed.
 */
const fencedMs = 30 * secondMs;
/** The longest time that a move can take before this check warns. A move of ten million rows takes some hours. */
const longMoveMs = 12 * hourMs;

/** Checks that no move of a project between databases is stuck. */
export const projectMoves: HealthCheck = {
  name: "project_moves",
  async examine({ platform, now }) {
    const moves = await openMoves(platform);
    const named = (some: typeof moves) =>
      someOf(some.map(({ id, move }) => `${id}: ${move.from} to ${move.to}, ${move.stage}`));
    const mend =
      "GET /admin/projects/{id} has the `jobId` for GET /admin/jobs/{id}. DELETE /admin/projects/{id}/move " +
      "takes the move back.";
    const fenced = moves.filter(({ move }) => (move.fencedAt ?? now) < now - fencedMs);
    if (fenced.length > 0)
      return fail(`Writes of ${counted(fenced.length, "project")} are refused by a move that is stuck.`, {
        detail: named(fenced),
        mend,
      });
    const long = moves.filter(({ move }) => move.startedAt < now - longMoveMs);
    if (long.length > 0)
      return warn(`${counted(long.length, "project")} moving for more than twelve hours.`, {
        detail: named(long),
        mend,
      });
    return ok(
      moves.length === 0 ? "No project is being moved." : `${counted(moves.length, "project")} moving.`,
      moves.length === 0 ? null : named(moves),
    );
  },
};

/** Checks that each cron schedule runs on time. */
export const crons: HealthCheck = {
  name: "crons",
  async examine({ platform, now }) {
    const runs = await readCronRuns(platform);
    const mend = "Look at the Worker's triggers in Cloudflare's dashboard; `npm run deploy` sets them again.";
    if (runs.length === 0) {
      return warn("No schedule has run yet.", {
        detail: "A new installation has its first tick within a minute.",
        mend,
      });
    }
    const silent = silentSchedules(runs, now);
    if (silent.length > 0) {
      return fail(`${counted(silent.length, "schedule")} stopped.`, {
        detail: someOf(silent.map(({ name, since }) => `${name}: silent for ${duration(now - since)}`)),
        mend,
      });
    }
    const ages = runs.map(({ cron, ranAt }) => `${schedules[cron]?.name ?? cron}: ${duration(now - ranAt)} ago`);
    return ok("Each schedule runs.", someOf(ages));
  },
};

/** Checks that due executions of workflows continue. */
export const workflowShards: HealthCheck = {
  name: "workflow_shards",
  async examine({ databases }) {
    const overdue = sumOf(await databases(), (state) => state.overdueExecutions);
    if (overdue === 0) return ok("No execution of a workflow is overdue.");
    return warn(`${counted(overdue, "execution")} of workflows should have moved on minutes ago.`, {
      mend: "Check crons, which wakes the executions, and the Worker's log for failures of the shards.",
    });
  },
};

/** Checks that events reach webhooks and workflows. */
export const events: HealthCheck = {
  name: "events",
  async examine({ databases }) {
    const overdue = sumOf(await databases(), (state) => state.overdueEvents);
    if (overdue === 0) return ok("Each event has reached its webhooks and workflows.");
    return warn(`${counted(overdue, "event")} should have reached webhooks or workflows minutes ago.`, {
      mend: "Look at crons and at dead_letters: a sweep announces such events again every minute.",
    });
  },
};
