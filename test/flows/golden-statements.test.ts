import { type SQL, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { dialect } from "../../src/db/client";
import { idOfTick, tickOf, timeOfId } from "../../src/db/ids";
import { trackEvent } from "../../src/features/events/track";
import { computeDueSegments } from "../../src/features/segments/sweep-due";
import { sendAs } from "../support/person";
import { newProject } from "../support/project";
import { newSegment } from "../support/segment";
import { World } from "../support/world";

type Act = "track" | "send" | "deliver" | "compute";

/** The texts of what each act asked of the database. */
const texts: Record<Act, Set<string>> = { track: new Set(), send: new Set(), deliver: new Set(), compute: new Set() };

beforeAll(async () => {
  const [project, world] = [await newProject(), new World()];
  const during = async (act: Act, work: () => Promise<unknown>) => {
    const before = world.statements.length;
    await work();
    for (const { sql: text } of world.statements.slice(before)) texts[act].add(text);
  };
  await during("track", async () => {
    const { ctx } = await world.context(project);
    await trackEvent(ctx, { email: "ada@example.com", event: "purchase", data: { plan: "pro" } }, "POST /v1/track");
  });
  const mail = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi" };
  await during("send", () => sendAs(world, project, mail));
  await during("deliver", () => world.drain());
  const filters = [
    { field: "data.plan", operator: "equals", value: "pro" },
    { field: "purchase", operator: "triggeredWithin", value: 30, unit: "days" },
  ];
  const condition = { logic: "AND", groups: [{ filters }] };
  await newSegment(project, { condition, trackMembership: true });
  await project.db
    .prepare("UPDATE segments SET next_compute_at = 1, computed_of = NULL WHERE project_id = ?")
    .bind(project.id)
    .run();
  await project.db.prepare("DELETE FROM segment_members WHERE project_id = ?").bind(project.id).run();
  await during("compute", async () => {
    await computeDueSegments(world.process().platform);
    await world.drain();
  });
});

/** What is done to ids in SQL is long, and reads as what it is. */
const words: [string, SQL][] = [
  ["tick_of(newest.id)", tickOf(sql`newest.id`)],
  ["time_of(newest.id)", timeOfId(sql`newest.id`)],
  ["id_of(base.tick + o.ordinal)", idOfTick(sql`(base.tick + o.ordinal)`)],
];

function legible(statement: string): string {
  const inWords = words.reduce((text, [word, made]) => text.replaceAll(dialect.sqlToQuery(made).sql, word), statement);
  const lines = inWords.split("\n");
  const margin = Math.min(...lines.slice(1).map((line) => line.search(/\S/)));
  return lines.map((line, index) => (index === 0 ? line : `  ${line.slice(margin)}`)).join("\n");
}

// Whole statements, to be read as SQL: in the code they are made of parts. A change of one shows here, and is accepted by
// `npm test -- test/flows/golden-statements.test.ts -u`.
describe("the statement that", () => {
  it.each([
    ["records an event", "insert-events", "track", /^INSERT INTO events /],
    ["counts the events of a batch", "count-events", "track", /^INSERT INTO event_names /],
    ["creates or changes a contact", "upsert-contacts", "track", /^INSERT INTO contacts /],
    ["accepts mail", "insert-emails", "send", /^INSERT INTO emails /],
    ["hands mail over", "hand-over", "deliver", /^UPDATE emails AS e SET status = 'SENDING'/],
    ["asks a window of contacts for a condition", "scan-window", "compute", /^WITH a \(v\)/],
  ] as const)("%s", async (_, file, act, says) => {
    const found = [...texts[act]].filter((text) => says.test(text));
    expect(found, "statements that say so").toHaveLength(1);
    await expect(`${legible(found[0] ?? "")};\n`).toMatchFileSnapshot(`../golden/${file}.sql`);
  });
});
