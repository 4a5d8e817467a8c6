import { Refusal } from "../../src/core/errors";
import { redelivered } from "../../src/core/messages";
import type { EventListener } from "../../src/engine/events/listener";
import { updateProject } from "../../src/features/projects/update";
import type { Context, Project } from "../../src/platform/context";
import { handleMessage } from "../../src/queue";
import { type Death, wasKilled } from "./killable";
import type { TestProject } from "./project";
import type { Random } from "./random";
import type { Register, Span } from "./register";
import type { World } from "./world";

/** What chance has drawn for somebody to do. */
export interface Drawn {
  name: string;
  run(ctx: Context): Promise<unknown>;
  /** Writes down what was done, or perhaps done. */
  told?(span: Span): unknown;
  /** What it makes has a name that only its answer says, or what it changes is told only when it is sure. */
  isImmortal?: boolean;
}

/** Of so many of 100 acts their process dies, within so many steps. */
export function drawDeath(
  random: Random,
  { isImmortal }: Drawn,
  { percent, steps }: { percent: number; steps: readonly number[] },
): Death | undefined {
  return !isImmortal && random.isIn(percent)
    ? { atStep: 1 + random.below(random.of(steps)), when: random.of(["before", "after"]) }
    : undefined;
}

export function withDeath(name: string, death: Death | undefined): string {
  return death ? `${name} (dies ${death.when} step ${death.atStep})` : name;
}

/** Does what was drawn, tells what became of it, and returns how it ended. */
export async function endOf(world: World, { run, told }: Drawn, ctx: Context): Promise<string> {
  const from = world.now;
  try {
    await run(ctx);
    told?.({ from, to: world.now, isSure: true });
    return "done";
  } catch (error) {
    if (error instanceof Refusal) return `refused: ${error.message}`;
    if (!wasKilled(error)) throw error;
    told?.({ from, to: world.now, isSure: false });
    return "died";
  }
}

/** The queue brings a message again when its consumer has died, brings some twice, and loses some. */
export async function takeMessage(
  { world, random, log }: { world: World; random: Random; log: string[] },
  ctx: Context,
  { lostPercent, listeners }: { lostPercent: number; listeners?: readonly EventListener[] },
): Promise<void> {
  const { queue } = world;
  const due = queue.filter((one) => one.due <= world.now);
  if (due.length === 0) return;
  const next = random.of(due);
  const { message } = next.queued;
  const isDoubled = random.isIn(15);
  if (!isDoubled) queue.splice(queue.indexOf(next), 1);
  const isLost = random.isIn(lostPercent);
  log.push(`${world.now} ${message.type}${isDoubled ? ", doubled" : ""}${isLost ? ", lost" : ""}`);
  if (isLost) return;
  try {
    await handleMessage({ ...ctx, now: ctx.clock() }, message, listeners);
  } catch (error) {
    queue.push({ queued: { ...next.queued, message: redelivered(message) }, due: world.now + 5_000 });
    throw error;
  }
}

/** The operator disables the project, or enables it again. */
export function toggleProject(play: { row: Project; project: TestProject; isDisabled: Register<boolean> }): Drawn {
  const disabled = !play.row.disabled;
  return {
    name: disabled ? "disable the project" : "enable the project",
    isImmortal: true,
    async run(ctx) {
      play.row = await updateProject(ctx, play.project.id, { disabled });
    },
    told: (span) => play.isDisabled.write(disabled, span),
  };
}
