import type { Process } from "./killable";
import type { World } from "./world";

/** Lets something happen just before the n-th thing that shards do outside, once. Says whether it came to that. */
export function intrude(
  world: World,
  atStep: number,
  act: () => Promise<void>,
): { hasHappened: () => boolean; process: Process } {
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
  world.shardPlatform = () => platform;
  return { hasHappened: () => isOver, process };
}
