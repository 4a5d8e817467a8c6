import { expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { computeSegment } from "../../src/features/segments/compute";
import { refreshCount } from "../../src/features/segments/count";
import { updateSegment } from "../../src/features/segments/update";
import { addContacts, segmentRow, setPlan } from "../support/membership";
import { expectBounded, namesOfCondition, segmentsReached } from "../support/plan";
import { newProject } from "../support/project";
import { newSegment, only } from "../support/segment";
import { World } from "../support/world";

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
  await updateSegment(ctx, readId(segment.id), { condition, trackMembership: false });
  await updateSegment(ctx, readId(segment.id), { trackMembership: true });
  await updateSegment(ctx, readId(inner.id), { trackMembership: false });
  await run();

  expect(world.statements.length).toBeGreaterThan(50);
  const kinds = [
    /INSERT INTO segment_members/,
    /DELETE FROM segment_members/,
    /INSERT INTO events/,
    /DELETE FROM jobs/,
  ];
  expect(kinds.filter((kind) => !world.statements.some(({ sql }) => kind.test(sql)))).toEqual([]);
  const statements = [...world.statements, ...others.statements];
  await expectBounded(statements, [namesOfCondition, segmentsReached]);
});
