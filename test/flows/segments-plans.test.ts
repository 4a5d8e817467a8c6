import { expect, it } from "vitest";
import { computeSegment } from "../../src/features/segments/compute";
import { refreshCount } from "../../src/features/segments/count";
import { updateSegment } from "../../src/features/segments/update";
import { addContacts, segmentRow, setPlan } from "../support/membership";
import { planOf } from "../support/plan";
import { newProject } from "../support/project";
import { newSegment, only } from "../support/segment";
import { World } from "../support/world";

/** Of these no statement may see more than it asks an index for. `r` and `n` are lists that a statement brings along. */
const large = /\b(contacts|c|events|e|segments|s|segment_members|m|jobs|j|audience_references)\b/;

/** Entered by the project alone: segments, of which there are 1,000. */
const isBounded = (step: string) => /ix_segments_project/.test(step);

function isGrowing(step: string, sql: string): boolean {
  if (/^SCAN /.test(step)) return large.test(step) && !isOwnList(step, sql);
  if (/USING (COVERING )?INDEX \S+ \(project_id=\?\)$/.test(step) && large.test(step)) return !isBounded(step);
  return /TEMP B-TREE/.test(step) && /\b(contacts|events|segment_members)\b/.test(sql);
}

/** What is due, by the index over when. */
function isOwnList(step: string, sql: string): boolean {
  return /ix_segments_(uncomputed|uncounted)/.test(step) && /LIMIT/.test(sql);
}

it("computes and counts members, and finds what is due, by index", async () => {
  const [project, world, others] = [await newProject(), new World(), new World()];
  await addContacts(project, 1, 3);
  const inner = await newSegment(project, {
    name: "Inner",
    condition: only("login", "triggeredWithin", 1, "days"),
    trackMembership: true,
  });
  const segment = await newSegment(project, {
    trackMembership: true,
    condition: {
      logic: "AND",
      groups: [
        ...only("data.plan", "equals", "pro").groups,
        ...only(`segment.${inner.id}`, "notMemberOfSegment").groups,
        ...only("email", "contains", "c").groups,
      ],
    },
  });
  const { ctx } = await others.context(project);
  const run = async () => {
    await world.sweep("*/5 * * * *");
    await world.drain();
    const current = await segmentRow(world, project, segment);
    await computeSegment((await world.context(project)).ctx, current);
    await refreshCount((await world.context(project)).ctx, current);
    world.now += 20 * 60_000;
  };
  await run();
  await setPlan(project, "c2@example.com", "free");
  await run();
  const condition = only("data.n", "lessThan", 2);
  await updateSegment(ctx, segment.id, { condition, trackMembership: false });
  await updateSegment(ctx, segment.id, { trackMembership: true });
  await updateSegment(ctx, inner.id, { trackMembership: false });
  await run();

  const ours = world.statements.filter(({ sql }) => /segment|FROM contacts c|jobs/.test(sql));
  expect(ours.length).toBeGreaterThan(50);
  const kinds = [
    /INSERT INTO segment_members/,
    /DELETE FROM segment_members/,
    /INSERT INTO events/,
    /DELETE FROM jobs/,
  ];
  expect(kinds.filter((kind) => !ours.some(({ sql }) => kind.test(sql)))).toEqual([]);
  for (const { sql, values } of ours) {
    const steps = await planOf({ sql, values });
    expect(
      steps.filter((step) => isGrowing(step, sql)),
      sql,
    ).toEqual([]);
  }
});
