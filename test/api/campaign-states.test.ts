import { describe, expect, it } from "vitest";
import { campaignActions, mayBe } from "../../src/core/campaigns/status";
import { readId } from "../../src/core/ids";
import { newCampaign, putCampaign } from "../support/campaign";
import { type Answer, newProject, type TestProject } from "../support/project";
import { expectRefusal } from "../support/refusal";

/** A SENDING campaign may be held, and a SCHEDULED one may say why it does not start. */
const states = ["DRAFT", "SCHEDULED", "SCHEDULED, held", "SENDING", "SENDING, held", "SENT", "CANCELLED"] as const;
type State = (typeof states)[number];

interface Action {
  ask(project: TestProject, id: string): Promise<Answer>;
  /** The answer, in each state in which it is allowed. */
  allowed: Partial<Record<State, number>>;
  /** The answer in all other states. */
  refused: { status: number; code: string };
  /** The status afterwards, if it is another one. */
  to?: string;
}

const post =
  (what: string, body?: unknown) =>
  (project: TestProject, id: string): Promise<Answer> =>
    project.api.post(`/campaigns/${id}/${what}`, body);
const badRequest = { status: 400, code: "BAD_REQUEST" };
const conflict = { status: 409, code: "CONFLICT" };
const everywhere = (status: number) => Object.fromEntries(states.map((state) => [state, status]));
const open = { DRAFT: 200, SCHEDULED: 200, "SCHEDULED, held": 200 };
const sending = { SENDING: 200, "SENDING, held": 200 };
const open202 = { DRAFT: 202, SCHEDULED: 202, "SCHEDULED, held": 202, SENDING: 202, "SENDING, held": 202 };
const time = "2090-01-01T09:00:00Z";

/** As the contract says it, and not as the code does. */
const actions: Record<string, Action> = {
  replace: { ask: (project, id) => putCampaign(project, id, { name: "Other" }), allowed: open, refused: conflict },
  delete: {
    ask: (project, id) => project.api.delete(`/campaigns/${id}`),
    allowed: { DRAFT: 204, SENT: 204, CANCELLED: 204 },
    refused: conflict,
    to: "deleted",
  },
  send: { ask: post("send"), allowed: open, refused: badRequest, to: "SENDING" },
  schedule: { ask: post("send", { scheduledFor: time }), allowed: open, refused: badRequest, to: "SCHEDULED" },
  unschedule: {
    ask: post("unschedule"),
    allowed: { SCHEDULED: 200, "SCHEDULED, held": 200 },
    refused: conflict,
    to: "DRAFT",
  },
  pause: { ask: post("pause"), allowed: sending, refused: conflict },
  resume: { ask: post("resume"), allowed: { "SENDING, held": 200 }, refused: conflict },
  cancel: {
    ask: post("cancel"),
    allowed: { SCHEDULED: 200, "SCHEDULED, held": 200, ...sending },
    refused: badRequest,
    to: "CANCELLED",
  },
  preflight: { ask: post("preflight"), allowed: open202, refused: conflict },
  // Of nobody it is not SENDING again.
  retry: { ask: post("retry"), allowed: { SENT: 202 }, refused: badRequest },
  duplicate: { ask: post("duplicate"), allowed: everywhere(201), refused: conflict },
  test: { ask: post("test", { email: "ada@example.com" }), allowed: everywhere(200), refused: conflict },
  stats: {
    ask: (project, id) => project.api.get(`/campaigns/${id}/stats`),
    allowed: everywhere(200),
    refused: conflict,
  },
  recipients: {
    ask: (project, id) => project.api.get(`/campaigns/${id}/recipients`),
    allowed: everywhere(200),
    refused: conflict,
  },
};

/** A campaign in a state, with the run that it has there. Nobody is at work on it. */
async function campaignIn(project: TestProject, state: State): Promise<string> {
  const { id } = await newCampaign(project);
  const [status, isHeld] = [state.split(",")[0], state.endsWith("held")];
  const reason = status === "SCHEDULED" ? "sender domain" : "paused";
  const [sentAt, at] = [["SENDING", "SENT", "CANCELLED"].includes(status ?? "") ? 1 : null, Date.parse(time)];
  const { db } = project;
  await db
    .prepare(
      `UPDATE campaigns SET status = ?, held_reason = ?, sent_at = ?, completed_at = iif(?1 = 'SENT', 1, NULL),
        scheduled_for = iif(?1 = 'SCHEDULED', ?4, NULL), version = version + 1 WHERE project_id = ?5 AND id = ?6`,
    )
    .bind(status, isHeld ? reason : null, sentAt, at, project.number, readId(id))
    .run();
  if (status === "SCHEDULED" || status === "SENDING") {
    await db
      .prepare(
        'INSERT INTO campaign_runs (project_id, id, due_at, step, progress) VALUES (?, ?, ?, 7, \'{"phase":"deliver"}\')',
      )
      .bind(project.number, readId(id), at)
      .run();
  }
  return id;
}

/** Whatever an action on a campaign may write, as it is in the rows. */
async function everything({ db, number }: TestProject): Promise<Record<string, unknown[]>> {
  const tables = ["campaigns", "campaign_runs", "campaign_pages", "campaign_counts", "emails", "email_contents"];
  const found: Record<string, unknown[]> = {};
  for (const table of [...tables, "audience_references", "monthly_usage"]) {
    const { results } = await db.prepare(`SELECT * FROM ${table} WHERE project_id = ?`).bind(number).all();
    found[table] = results;
  }
  return found;
}

describe.each(Object.entries(actions))("%s", (_, { ask, allowed, refused, to }) => {
  it.each(states)("of a campaign that is %s", async (state) => {
    const project = await newProject();
    const id = await campaignIn(project, state);
    const before = await everything(project);
    const answer = await ask(project, id);
    const expected = allowed[state];
    if (expected === undefined) {
      const [status] = state.split(",");
      expectRefusal(answer, refused.status, refused.code, { details: { status } });
      expect(await everything(project)).toEqual(before);
      return;
    }
    expect(answer.status, JSON.stringify(answer.body)).toBe(expected);
    const { status, body } = await project.api.get(`/campaigns/${id}`);
    const [was] = state.split(",");
    // What is sent to nobody is soon SENT.
    const after = to === "SENDING" ? ["SENDING", "SENT"] : [to ?? was];
    expect(after).toContain(status === 404 ? "deleted" : body.status);
  });
});

describe("the table of the state machine", () => {
  const own = Object.keys(campaignActions).filter((name) => name in actions) as (keyof typeof campaignActions)[];

  it.each(own)("says of %s what the calls do", (name) => {
    for (const state of states) {
      const [status] = state.split(",") as [Parameters<typeof mayBe>[1]];
      const isAllowed = actions[name]?.allowed[state] !== undefined;
      // Whether it is held, the table does not say.
      if (name !== "resume" || state !== "SENDING") expect([state, mayBe(name, status)]).toEqual([state, isAllowed]);
    }
  });
});
