import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requeueLostJobs } from "../../src/engine/jobs/requeue-lost";
import { computeDueSegments, countDueSegments } from "../../src/features/segments/sweep-due";
import { databases } from "../support/database";
import { inLine, interleave, type Turn } from "../support/interleave";
import { dropMembershipLog, openMembershipLog } from "../support/membership-log";
import { type Random, randomOf } from "../support/random";
import { changeContacts, drawActs } from "../support/segment-acts";
import { faultsAtRest, faultsOfAnswer } from "../support/segment-faults";
import { addSegment, contextOf, newPlay, type Play } from "../support/segment-play";
import { longRules, shortRules } from "../support/segment-rules";
import { emptyTrash } from "../support/trash";
import { World } from "../support/world";

const interleavings = 16;
const seeds = Array.from({ length: Number(env.PETREL_MODEL_SEEDS) }, (_, n) => n + 1);

beforeAll(() => Promise.all(databases.map(openMembershipLog)));
afterAll(() => Promise.all(databases.map(dropMembershipLog)));

/** Something has changed since the last rest, and mostly the queue knows already. */
async function begin(play: Play, random: Random): Promise<string> {
  const { world } = play;
  world.now += 5 * 60_000;
  if (play.segments.length === 0) await addSegment(play);
  play.segment = random.of(play.segments);
  const { name, run } = changeContacts(play, random);
  await run(contextOf(play));
  if (random.isIn(60)) await computeDueSegments(contextOf(play));
  return name;
}

/** Nothing dies any more, and whatever was lost is found. */
async function comeToRest(play: Play): Promise<void> {
  const { world, project } = play;
  world.now += 16 * 60_000;
  const ctx = contextOf(play);
  // What was deleted goes for good.
  await emptyTrash(world, project);
  await requeueLostJobs(ctx);
  await world.drain();
  await computeDueSegments(ctx);
  await countDueSegments(ctx);
  await world.drain();
}

/** Several acts, whose steps come in an order that chance decides. Fails with how it came to what is wrong. */
async function playOut(name: string, play: Play, random: Random): Promise<void> {
  const began = await begin(play, random);
  const acts = drawActs(play, random);
  const line = inLine(random, acts.length);
  const pick = (waiting: number[]) => {
    if (random.isIn(20)) play.world.now += random.below(1_000);
    return line.pick(waiting);
  };
  const told = () =>
    [name, began, ...acts.map((act, actor) => `${actor}: ${act.name}`), `in the order ${line.order.join(" ")}`].join(
      "\n",
    );
  const faults: string[] = [];
  const actors = acts.map(({ run }) => async (turn: Turn) => {
    faults.push(...(await run(turn)));
  });
  try {
    await interleave(actors, pick);
    for (const moment of play.answered.splice(0)) faults.push(...(await faultsOfAnswer(play, moment)));
    await comeToRest(play);
    faults.push(...(await faultsAtRest(play)));
  } catch (error) {
    throw new Error(told(), { cause: error });
  }
  expect(faults, told()).toEqual([]);
}

describe("the members of tracked segments, their events and counts", () => {
  it.each(seeds)("are right in whatever order the steps of calls, messages and sweeps come: seed %i", async (seed) => {
    const [world, random] = [new World(), randomOf(seed)];
    const small = await newPlay(world, { rules: shortRules, segments: 2 });
    const large = await newPlay(world, { rules: longRules, segments: 1, others: 300 });
    for (let n = 1; n <= interleavings; n++) {
      await playOut(`Seed ${seed}, interleaving ${n}`, random.isIn(20) ? large : small, random);
    }
  });
});
