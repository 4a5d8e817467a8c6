import type { Platform } from "../../src/platform/context";
import type { Process } from "./killable";
import type { World } from "./world";

interface Intruded {
  hasHappened: () => boolean;
  platform: Platform;
  process: Process;
}

/** A process in which something happens just before the n-th thing that it does outside, once. Says whether it came to that. */
export function intruded(world: World, atStep: number, act: () => Promise<void>): Intruded {
  const { platform, process } = world.process();
  const step = process.step.bind(process);
  let isOver = false;
  process.step = async (name, effect) => {
    if (!isOver && process.steps.length + 1 === atStep) {
      isOver = true;
      await act();
    }
    return step(name, effect);
  };
  return { hasHappened: () => isOver, platform, process };
}

/** The same in what shards do. */
export function intrude(world: World, atStep: number, act: () => Promise<void>): Intruded {
  const all = intruded(world, atStep, act);
  world.shardPlatform = () => all.platform;
  return all;
}
