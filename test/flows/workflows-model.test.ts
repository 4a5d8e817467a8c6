import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { drawActs } from "../support/workflow-model-acts";
import { faultsAtRest } from "../support/workflow-model-end";
import { newPlay, type Play } from "../support/workflow-model-play";
import { comeToRest, playOut } from "../support/workflow-model-rest";

const first = Number(env.PETREL_MODEL_FIRST ?? 1);
const seeds = Array.from({ length: Number(env.PETREL_MODEL_SEEDS) }, (_, n) => first + n);
const rounds = 24;

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function playRound(play: Play, round: number): Promise<void> {
  const { random, turns, shards } = play;
  const acts = drawActs(play);
  play.log.push(`round ${round}: ${acts.map(({ name }) => name).join(" | ")}`);
  shards.dying = random.of([0, 15, 15, 30]);
  turns.restlessness = random.of([0, 0, 15, 50]);
  let left = acts.length;
  const errors: unknown[] = [];
  for (const { run } of acts) {
    turns.begin();
    void run()
      .catch((error: unknown) => errors.push(error))
      .finally(() => {
        left -= 1;
      });
  }
  await playOut(play, () => left === 0);
  if (errors.length > 0) throw errors[0];
}

describe("workflows, in orders that chance decides", () => {
  it.each(seeds)("take each contact the way that the model takes: seed %i", async (seed) => {
    const play = await newPlay(seed);
    let faults: string[] = [];
    try {
      for (let round = 0; round < rounds; round++) await playRound(play, round);
      await comeToRest(play);
      faults = await faultsAtRest(play);
    } catch (error) {
      throw new Error(play.log.join("\n"), { cause: error });
    }
    expect(faults, play.log.join("\n")).toEqual([]);
  });
});
