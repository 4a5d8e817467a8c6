import { expect } from "vitest";
import { type Id, publicId } from "../../src/core/ids";
import { moveClock } from "../../src/features/projects/clock/move";
import { MoveClock } from "../../src/features/projects/clock/schema";
import type { Death } from "./killable";
import { type Answer, admin, call, newProject, type TestProject } from "./project";
import { World } from "./world";

/** A project with a test clock, when that begins, and the world around it, in which nothing happens by itself. */
export interface TestClock {
  project: TestProject;
  world: World;
  start: number;
}

export async function newTestClock(settings: Record<string, unknown> = {}): Promise<TestClock> {
  const project = await newProject({ testClock: true, ...settings });
  const { body } = await admin.get(`/admin/projects/${project.id}`);
  return { project, world: new World(), start: Date.parse(body.createdAt) };
}

/** Asks for an advance, whose message waits in the world's queue. */
export async function startMove({ project, world }: TestClock, to: Record<string, unknown>): Promise<Id> {
  const { jobId } = await moveClock(world.process().platform, project.id, MoveClock.parse(to));
  return jobId;
}

/** Moves the clock, and returns the job at its end. */
export async function move(clock: TestClock, to: Record<string, unknown>): Promise<Answer["body"]> {
  const jobId = await startMove(clock, to);
  await clock.world.drain();
  return jobOf(clock, jobId);
}

export async function jobOf({ project }: TestClock, jobId: Id): Promise<Answer["body"]> {
  return (await project.api.get(`/jobs/${publicId(jobId)}`)).body;
}

/** The same, with a process that dies at its n-th step, and others that carry on. */
export async function moveAndDie(clock: TestClock, to: Record<string, unknown>, death: Death): Promise<Answer["body"]> {
  const jobId = await startMove(clock, to);
  const steps = await clock.world.runAndDie(death);
  await clock.world.drain();
  return { ...(await jobOf(clock, jobId)), isOver: steps.length < death.atStep };
}

/** The mail to an address, in the order of its time. */
export async function inbox(to: string): Promise<{ subject: string; createdAt: string }[]> {
  const { status, body } = await call("GET", `/outbox/messages?limit=100&to=${encodeURIComponent(to)}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map(({ subject, createdAt }: Answer["body"]) => ({ subject, createdAt })).reverse();
}
