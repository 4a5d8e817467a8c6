import { updateProject } from "../../src/features/projects/update";
import { wakeShardsJob } from "../../src/features/workflows/executions/wake-overdue";
import { handleMessage } from "../../src/queue";
import { type Actor, advance, contextOf, type Play } from "./workflow-model-play";
import { sweepAll } from "./workflow-model-work";

/** Lets threads have their turns until none wants one. Objects that died are made anew. */
export async function playOut({ turns, shards }: Play, isOver: () => boolean = () => false): Promise<void> {
  for (;;) {
    await turns.still();
    await shards.bury();
    if (isOver() || !turns.hasWaiting()) return;
    turns.next();
  }
}

export const newActor = (name: string): Actor => ({ name, steps: Promise.resolve() });

/** Something that happens while nobody else does anything, apart from the objects that it sets in motion. */
export async function alone(play: Play, run: () => Promise<void>): Promise<void> {
  const { turns } = play;
  turns.begin();
  const done = run().finally(() => turns.end());
  await playOut(play);
  await done;
}

/** Nothing dies any more, and nothing is lost. */
export async function comeToRest(play: Play): Promise<void> {
  const { world, shards, turns, endpoints, project, random } = play;
  shards.stopDying();
  turns.restlessness = 0;
  endpoints.isCalm = true;
  await playOut(play);
  if (play.row.disabled && random.isIn(50)) {
    const from = world.now;
    await alone(play, async () => {
      play.row = await updateProject(contextOf(play, newActor("operator")), project.id, { disabled: false });
    });
    play.isDisabled.write(false, { from, to: world.now, isSure: true });
  }
  for (let turn = 0; turn < 40; turn++) {
    advance(play, (turn < 6 ? 1 : 16) * 60_000);
    await alone(play, async () => {
      await sweepAll(contextOf(play, newActor("cron")));
      // As wakeAll has it once a day: an object may have died with its alarm before the mirror knew of it.
      const ofAll = shards.known.map(({ shard }) => shard);
      const wake = { type: "workflows.wake" as const, projectId: play.project.number, shards: ofAll };
      await wakeShardsJob(contextOf(play, newActor("cron")), wake);
      for (const address of shards.known) await shards.ring(address);
      await drain(play);
    });
    if (turn > 3 && world.queue.length === 0 && !(await isRestless(play))) return;
  }
  throw new Error("It does not come to rest");
}

async function drain(play: Play): Promise<void> {
  const { world } = play;
  for (let turn = 0; turn < 500; turn++) {
    const index = world.queue.findIndex(({ due }) => due <= world.now);
    const [next] = index < 0 ? [] : world.queue.splice(index, 1);
    if (!next) return;
    await handleMessage(contextOf(play, newActor("consumer")), next.queued.message);
  }
  throw new Error("The queue never comes to rest");
}

export async function isRestless({ project: { db, number }, world, row }: Play): Promise<boolean> {
  // Mail and calls of a disabled project wait until it is enabled.
  const isUnderWay = row.disabled
    ? ""
    : `+ (SELECT count(*) FROM emails WHERE project_id = ?1 AND status IN ('QUEUED', 'SENDING'))
      + (SELECT count(*) FROM workflow_calls WHERE project_id = ?1 AND ended_at IS NULL)`;
  const query = db.prepare(
    `SELECT (SELECT count(*) FROM events WHERE project_id = ?1 AND next_announce_at IS NOT NULL) ${isUnderWay}
      + (SELECT count(*) FROM jobs WHERE project_id = ?1 AND status IN ('queued', 'processing'))
      + (SELECT count(*) FROM workflow_executions WHERE project_id = ?1 AND wake_at <= ?2)
      + (SELECT count(*) FROM workflow_executions e JOIN workflow_steps s ON s.project_id = e.project_id
          AND s.workflow_id = e.workflow_id AND s.id = e.current_step_id
        WHERE e.project_id = ?1 AND e.status = 'WAITING' AND s.type IN ('WEBHOOK', 'SEND_EMAIL')) AS n`,
  );
  return (await query.bind(number, world.now).first<number>("n")) !== 0;
}
