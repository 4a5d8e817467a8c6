import { publicId } from "../../src/core/ids";
import { upsertContact } from "../../src/features/contacts/upsert";
import { getProject } from "../../src/features/projects/project";
import { createSegment } from "../../src/features/segments/create";
import { type Context, forProject, type Project } from "../../src/platform/context";
import { idSql } from "./counts";
import type { Turn } from "./interleave";
import type { Death } from "./killable";
import type { Told } from "./membership-log";
import { newProject, type TestProject } from "./project";
import { namedIn, readNow } from "./segment-faults";
import type { ContactNow, Rule } from "./segment-rules";
import type { World } from "./world";

/** A project with tracked segments, on which acts are played, and what is known of it. */
export interface Play {
  world: World;
  project: TestProject;
  row: Project;
  rules: Rule[];
  segments: Told[];
  /** How many there ever were. */
  born: number;
  /** The one that this time all acts are about. */
  segment: Told;
  /** When computations were called that have been answered since the last rest. */
  answered: number[];
  addresses: string[];
  /** As they were at the last rest. */
  contacts: ContactNow[];
}

/** Some of the contacts are older than the `others`, whom nothing happens to, and some are newer. */
export async function newPlay(
  world: World,
  { rules, segments, others = 0 }: { rules: Rule[]; segments: number; others?: number },
): Promise<Play> {
  const project = await newProject();
  const row = await getProject(world.process().platform, project.id);
  const addresses = Array.from({ length: 8 }, (_, n) => `c${n}@example.com`);
  const segment: Told = { id: "", slug: "", state: "deleted", members: new Set() };
  const play: Play = {
    world,
    project,
    row,
    rules,
    segments: [],
    born: 0,
    segment,
    answered: [],
    addresses,
    contacts: [],
  };
  for (const [n, email] of addresses.entries()) {
    if (n === addresses.length / 2) await addOthers(play, others);
    world.now += 1_000;
    await upsertContact(contextOf(play), { email, data: { plan: n % 2 ? "pro" : "free", n } });
  }
  while (play.segments.length < segments) await addSegment(play);
  play.contacts = namedIn(play, await readNow(play));
  return play;
}

async function addOthers({ project, world }: Play, others: number): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
      WITH RECURSIVE n(i) AS (SELECT CAST(?2 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?2 + ?3)
      SELECT ?1, ${idSql("i")}, 'other-' || i || '@example.com', true, '{}', i, i FROM n`,
    )
    .bind(project.id, world.now, others)
    .run();
  world.now += others;
}

/** Under a name that none had before: so its events are its own. */
export async function addSegment(play: Play): Promise<void> {
  play.born += 1;
  const { id, slug } = await createSegment(contextOf(play), {
    name: `s${play.born}`,
    type: "DYNAMIC",
    condition: play.rules[0]?.condition,
    trackMembership: true,
  });
  play.segments.push({ id: publicId(id), slug, state: "tracked", members: new Set() });
}

/** The context of a process that waits for its turn before each step. */
export function contextOf({ world, row }: Play, turn?: Turn, death?: Death): Context {
  const { platform, process } = world.process(death);
  const step = process.step.bind(process);
  if (turn) {
    process.step = async (name, effect) => {
      await turn();
      return step(name, effect);
    };
  }
  const ctx = forProject(platform, row);
  // Sweeps have no other database to look into.
  return { ...ctx, databases: [ctx.db] };
}
