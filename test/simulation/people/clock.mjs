import { storedId } from "../invariants/ids.mjs";
import { operatorToken } from "../settings.mjs";
import { kindsOfEvents } from "./documents.mjs";

/** How far a clock is moved: to the end of a wait, to just before it, over some, or over all. */
const leapsMs = [1, 30_000, 59_999, 60_000, 90_000, 120_000, 180_000, 600_000, 3_600_000, 86_400_000];
const lookEveryMs = 1_000;
const mostLooks = 600;

/** What people do with a project that is on a test clock. Its time stands still until somebody moves it. */
export const clockDeeds = {
  moveClock: (caller, { draws: [draw] }) => move(caller, leapsMs[Math.floor(draw * leapsMs.length)]),

  /** Begins something, moves the clock to about when what waits for it ends, and comes back. */
  async comeBackByClock(caller, { number, draws: [draw, which, late] }) {
    const kind = kindsOfEvents[number % kindsOfEvents.length];
    const track = (event) =>
      caller.insist("POST", "/events/track", {
        body: { email: caller.address(), event, data: { kind: { value: kind, persistent: false } } },
        headers: { "Idempotency-Key": caller.newKey() },
        allowed: [409],
      });
    await track(which < 0.8 ? "signup" : "purchase");
    await move(caller, 30_000 * (1 + Math.floor(draw * 4)) + Math.floor(late * 3) - 1);
    await track(which < 0.8 ? "purchase" : "visit");
  },
};

/** Moves the clock of a project, and looks when the advance has ended what is left of what was due. */
async function move(caller, ms) {
  const { tenant, world } = caller;
  const target = caller.now() + ms;
  const due = dueIn(world, tenant, target);
  const { status, body } = await caller.insist("POST", `/admin/projects/${tenant.id}/clock`, {
    ...{ key: operatorToken, body: { now: new Date(target).toISOString() } },
    // Another advance is on its way, or was farther.
    allowed: [409, 422],
  });
  if (status !== 202) return;
  const advance = caller.note({ is: "advancing", jobId: body.jobId, target, left: [] });
  for (let look = 0; look < mostLooks; look++) {
    const job = jobOf(world, tenant, body.jobId);
    if (job?.status === "completed") advance.left = dueIn(world, tenant, target).filter((one) => due.includes(one));
    if (job?.status === "completed" || job?.status === "failed") return;
    await world.time.wait(lookEveryMs);
  }
}

/** The row of a job; undefined when it is gone. */
export function jobOf(world, tenant, id) {
  const number = world.numberOf(tenant);
  return world.rowsOf(number, `SELECT * FROM jobs WHERE project_id = ? AND id = '${storedId(id)}'`)[0];
}

/** What of a project is due up to a time: mail that is not held, waits of executions, and campaigns. */
function dueIn(world, tenant, until) {
  const of = (sql) => world.rowsOf(world.numberOf(tenant), sql).map(({ what }) => what);
  return [
    ...of(`SELECT 'email ' || id AS what FROM emails WHERE project_id = ? AND status = 'QUEUED' AND due_at IS NOT NULL
      AND next_attempt_at <= ${until}`),
    ...of(`SELECT 'execution ' || id AS what FROM workflow_executions WHERE project_id = ? AND status = 'WAITING'
      AND wake_at <= ${until}`),
    ...of(`SELECT 'campaign ' || id AS what FROM campaigns WHERE project_id = ? AND status = 'SCHEDULED'
      AND scheduled_for <= ${until}`),
  ];
}

const mostMinutesOfAnother = 10;

/** Lets a day pass for a project on a test clock, in which all ends that waits. Returns the note of the advance. */
export async function passDay(world, tenant) {
  for (let minute = 0; minute < mostMinutesOfAnother; minute++) {
    const { status, body } = await world.call("POST", `/admin/projects/${tenant.id}/clock`, {
      ...{ key: operatorToken, body: { advance: "1d" } },
    });
    if (status === 202) return { is: "advancing", tenant: tenant.name, jobId: body.jobId, at: world.time.now };
    if (status !== 409) throw new Error(`The clock of ${tenant.name} was not moved: ${JSON.stringify(body)}`);
    await world.pass(1);
  }
  throw new Error(`The clock of ${tenant.name} is moved for ever`);
}
