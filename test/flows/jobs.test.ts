import { expect, it } from "vitest";
import { newProject } from "../support/project";
import { World } from "../support/world";

const minuteMs = 60_000;

it("a job that always fails comes more and more seldom, for a day", async () => {
  const [project, world] = [await newProject(), new World()];
  await project.db
    .prepare(
      `INSERT INTO jobs (id, project_id, type, status, input, state, errors, created_at, next_announce_at)
      VALUES (?1, ?1, 'segments.count', 'queued', '{"not":"an input"}', '{}', '[]', ?2, ?2)`,
    )
    .bind(project.id, world.now)
    .run();
  /** How often it is announced in so many minutes, when the sweep comes each `every` of them. */
  async function announcedIn(minutes: number, every = 60): Promise<number> {
    let announced = 0;
    for (let minute = 0; minute < minutes; minute += every) {
      world.now += every * minuteMs;
      await world.sweep();
      const mine = world.queue.filter(
        ({ nudge }) => "projectId" in nudge.job && nudge.job.projectId === project.number,
      );
      announced += mine.length;
      if (mine.length > 0) await expect(world.drain()).rejects.toThrow("Invalid input");
      world.queue = [];
    }
    return announced;
  }
  expect(await announcedIn(30, 5)).toBe(6);
  const aDay = await announcedIn(23 * 60);
  expect(aDay).toBeGreaterThanOrEqual(8);
  expect(aDay).toBeLessThanOrEqual(20);
  // The next run is the last one.
  world.now += 6 * 60 * minuteMs;
  await world.sweep();
  await world.drain();
  expect(await announcedIn(3 * 24 * 60, 24 * 60)).toBe(0);
});
