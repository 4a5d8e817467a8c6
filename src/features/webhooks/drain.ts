import { sql } from "drizzle-orm";
import { type Id, textOf } from "../../core/ids";
import { secondMs } from "../../core/time";
import type { Db } from "../../db/client";
import { asId, asNumber, columns } from "../../db/rows";
import { select } from "../../db/statement";
import { findProject } from "../../engine/projects/project";
import { forProject, type Platform } from "../../platform/context";
import { openParts } from "../../platform/sweep";
import { deliverSome } from "./deliver-some";

/** Then another message goes on. Calls that are under way may take ten seconds more; meanwhile others have their turns. */
const runMs = 20 * secondMs;
/** While a call is under way, how often others are looked for. */
const lookAgainMs = 500;
const maxFound = 200;
/** Endpoints of one project that are called at once: those of its neighbours find a place beside them. */
const maxOfProject = 2;

type Parts = ReturnType<typeof openParts>;

interface Due {
  projectId: number;
  id: Id;
  dueAt: number;
}

/**
 * `webhooks.drain`: delivers what is due, of all projects, until nothing is. Each endpoint has one call under way here
 * and no more. While one keeps us waiting, the others have their turns: a consumer may be the only one. Several
 * consumers may work on one endpoint, each with deliveries of its own.
 */
export async function drainDeliveries(platform: Platform): Promise<void> {
  const until = platform.clock().getTime() + runMs;
  const isLate = () => platform.clock().getTime() >= until;
  const busy = new Map<string, { projectId: number; isExtra: boolean; turn: Promise<void> }>();
  // Turns end with their next call when it is late. What still hangs then holds this consumer, so others go on beside it.
  const isOver = () => isLate() && [...busy.values()].every(({ isExtra }) => isExtra);
  /** Of projects that are gone, and those whose turn failed: another run may look at them. */
  const ignored = new Set<string>();
  const parts = openParts();
  const databases = new Set(platform.databases);
  for (;;) {
    const due = isOver() || busy.size >= platform.callsAtOnce ? [] : await findDue(platform, databases, parts);
    const able = due.filter(({ id }) => !ignored.has(textOf(id)));
    const next = choose(able, busy, platform.callsAtOnce);
    for (const one of next) {
      const key = textOf(one.id);
      ignored.add(key);
      const isExtra = isLate();
      const turn = parts
        .run(async () => {
          if (await takeTurn(platform, one, isExtra ? isOver : isLate)) ignored.delete(key);
        })
        .finally(() => busy.delete(key));
      busy.set(key, { projectId: one.projectId, isExtra, turn });
    }
    // Looked for after the last turn had ended: there is nothing that this run may do.
    if (busy.size === 0) break;
    const turnsNow = [...busy.values()].map(({ turn }) => turn);
    await nextEvent(turnsNow, isOver());
  }
  if (isLate()) await platform.enqueue([{ message: { type: "webhooks.drain" } }]);
  parts.end();
}

/** False when the project is gone. */
async function takeTurn(platform: Platform, { projectId, id }: Due, isOver: () => boolean): Promise<boolean> {
  const project = await findProject(platform, projectId);
  if (project) await deliverSome(forProject(platform, project), id, isOver);
  return project !== null;
}

/** Those that are due longest, as many as there are places. */
function choose(due: Due[], busy: Map<string, { projectId: number }>, callsAtOnce: number): Due[] {
  const ofProject = new Map<number, number>();
  for (const { projectId } of busy.values()) ofProject.set(projectId, (ofProject.get(projectId) ?? 0) + 1);
  const chosen: Due[] = [];
  for (const one of due.toSorted((a, b) => a.dueAt - b.dueAt)) {
    const others = ofProject.get(one.projectId) ?? 0;
    if (busy.has(textOf(one.id)) || others >= maxOfProject || busy.size + chosen.length >= callsAtOnce) continue;
    ofProject.set(one.projectId, others + 1);
    chosen.push(one);
  }
  return chosen;
}

/** A database that does not answer is left alone for the rest of the run, and keeps nobody from the others. */
async function findDue(platform: Platform, databases: Set<Db>, parts: Parts): Promise<Due[]> {
  const due: Due[] = [];
  const look = (db: Db) =>
    parts.run(async () => {
      databases.delete(db);
      due.push(...(await dueIn(db, platform.clock().getTime())));
      databases.add(db);
    });
  await Promise.all([...databases].map(look));
  return due;
}

function dueIn(db: Db, now: number): Promise<Due[]> {
  return select(
    db,
    sql`SELECT project_id, id, due_at FROM webhooks INDEXED BY ix_webhooks_due
      WHERE due_at <= ${now} ORDER BY due_at LIMIT ${maxFound}`,
    columns({ projectId: asNumber, id: asId, dueAt: asNumber }),
  );
}

/** The end of a turn, or the time to look for others. When the run is over, only turns end. */
async function nextEvent(turns: Promise<void>[], isOver: boolean): Promise<void> {
  if (isOver) {
    await Promise.all(turns);
    return;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, lookAgainMs);
  });
  await Promise.race([...turns, look]);
  clearTimeout(timer);
}
