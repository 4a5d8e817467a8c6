import { type Id, newIdAt, publicId } from "../../src/core/ids";
import { createCampaign } from "../../src/features/campaigns/create";
import { upsertContact } from "../../src/features/contacts/upsert";
import { getProject } from "../../src/features/projects/project";
import { createSegment } from "../../src/features/segments/create";
import { createTopic } from "../../src/features/topics/create";
import { type Context, forProject, type Project } from "../../src/platform/context";
import { ChaoticProvider } from "./chaotic-provider";
import { idSql } from "./counts";
import type { Turn } from "./interleave";
import type { Death } from "./killable";
import { newProject, type TestProject } from "./project";
import type { Random } from "./random";
import { Register, type Span } from "./register";
import { longRules, type Rule, shortRules } from "./segment-rules";
import { World } from "./world";

/** A contact, and what it may have been when. Who is deleted and comes back is another one. */
export interface Person {
  id: string;
  email: string;
  exists: Register<boolean>;
  subscribed: Register<boolean>;
  plan: Register<string>;
  isInTopic: Register<boolean>;
  /** It was snoozed at some time: it may be subscribed again whenever snoozes end. */
  wasSnoozed: boolean;
}

/** What somebody did with a campaign or an email, and was not refused. */
export interface Deed extends Span {
  kind:
    | "send"
    | "schedule"
    | "unschedule"
    | "pause"
    | "resume"
    | "cancel"
    | "retry"
    | "delete"
    | "cancel email"
    | "retry email";
  id: string;
  /** What is retried. */
  statuses?: string[];
}

/** Null for everybody. */
export type ToldAudience = Rule | "segment" | null;

export interface ToldCampaign {
  id: string;
  row: Id;
  type: "MARKETING" | "HEADLESS" | "TRANSACTIONAL";
  hasTopic: boolean;
  audience: Register<ToldAudience>;
  /** As it was last seen. */
  status: string;
  /** When it was first seen to be sent, and its ledger to be whole. */
  frozenBy: number | null;
  writtenBy: number | null;
}

/** A project with campaigns, on which acts are played, and all that was done to it. */
export interface Play {
  world: World;
  provider: ChaoticProvider;
  project: TestProject;
  row: Project;
  random: Random;
  rules: Rule[];
  people: Person[];
  /** By address, since a deleted contact's suppression outlives it. */
  suppressed: Map<string, Register<boolean>>;
  isDisabled: Register<boolean>;
  /** The domain that all is sent from. */
  isVerified: Register<boolean>;
  segment: { id: string; row: Id; rule: Register<Rule>; isThere: boolean };
  topic: { id: Id; slug: string };
  campaigns: ToldCampaign[];
  deeds: Deed[];
  /** Addresses that somebody is about to give to a new contact. */
  reserved: Set<string>;
  /** Emails whose consumer may have died of handing them over. */
  doubted: Set<string>;
  /** All that was done, in the order in which it ended. */
  log: string[];
}

/** Some contacts are older than the `others`, to whom nothing goes and happens, and some are newer. */
export async function newPlay(random: Random): Promise<Play> {
  const [world, project] = [new World(), await newProject()];
  const provider = new ChaoticProvider(world, random);
  Object.assign(world, { answer: provider.answer, random: () => random.below(100) / 100 });
  if (random.isIn(30)) provider.endings = ["accepted", "mixed", "mixed"];
  world.mailsPerCall = random.of([1, 1, 4, 100]);
  world.idempotencyWindowMs = random.of([0, 0, 24 * 3_600_000]);
  const row = await getProject(world.process().platform, project.id);
  const isLarge = random.isIn(20);
  const rules = isLarge ? longRules : shortRules.slice(0, 2);
  const play: Play = {
    ...{ world, provider, project, row, random, rules },
    ...{ people: [], campaigns: [], deeds: [], log: [] },
    ...{ suppressed: new Map(), isDisabled: new Register(false, 0), isVerified: new Register(true, 0) },
    ...{ reserved: new Set<string>(), doubted: new Set<string>(), topic: { id: newIdAt(0), slug: "" } },
    segment: { id: "", row: newIdAt(0), rule: new Register(random.of(rules), world.now), isThere: true },
  };
  const count = 8 + random.below(8);
  for (let n = 0; n < count; n++) {
    if (isLarge && n === 3) await addOthers(play, 300);
    const email = `c${n}@example.com`;
    const [subscribed, plan] = [!random.isIn(15), random.of(["pro", "free"])];
    const { contact } = await upsertContact(contextOf(play), { email, subscribed, data: { plan } });
    play.people.push(newPerson(play, publicId(contact.id), email, { subscribed, plan }));
  }
  play.topic = await createTopic(contextOf(play), { name: "News", defaultSubscribed: true });
  const [rule] = play.segment.rule.possible(world.now + 1);
  const segment = await createSegment(contextOf(play), {
    name: "Segment",
    type: "DYNAMIC",
    condition: rule?.condition,
  });
  Object.assign(play.segment, { id: publicId(segment.id), row: segment.id });
  for (let n = 0; n < 3; n++) await addCampaign(play, isLarge);
  world.now += 1;
  return play;
}

export function newPerson(
  { suppressed }: Play,
  id: string,
  email: string,
  { subscribed, plan }: { subscribed: boolean; plan: string },
): Person {
  const register = <T>(value: T) => new Register(value, 0);
  if (!suppressed.has(email)) suppressed.set(email, register(false));
  return {
    ...{ id, email, wasSnoozed: false, exists: register(true), subscribed: register(subscribed) },
    ...{ plan: register(plan), isInTopic: register(true) },
  };
}

async function addOthers({ project, world }: Play, others: number): Promise<void> {
  await project.db
    .prepare(
      `INSERT INTO contacts (project_id, id, email, subscribed, data, created_at, updated_at)
      WITH RECURSIVE n(i) AS (SELECT CAST(?2 AS INTEGER) UNION ALL SELECT i + 1 FROM n WHERE i < ?2 + ?3)
      SELECT ?1, ${idSql("i")}, 'other-' || i || '@example.com', false, '{}', i, i FROM n`,
    )
    .bind(project.id, world.now, others)
    .run();
  world.now += others + 1;
}

async function addCampaign(play: Play, isLarge: boolean): Promise<void> {
  const { random, project, segment } = play;
  const audience = random.of([null, null, "segment", random.of(play.rules)] as const);
  const type = isLarge ? "MARKETING" : random.of(["MARKETING", "MARKETING", "HEADLESS", "TRANSACTIONAL"] as const);
  const hasTopic = type === "MARKETING" && random.isIn(30);
  const variants = ["a", "b"].map((name) => ({ name, weight: 1, subject: name }));
  const campaign = await createCampaign(contextOf(play), {
    ...{ name: "March", subject: "News", body: "<p>News {{ email }}</p>", from: `news@${project.domain}`, type },
    ...audienceFields(audience, segment.row),
    ...(hasTopic ? { topicId: play.topic.id } : {}),
    ...(random.isIn(30) ? { variants } : {}),
    ...(random.isIn(30) ? { canary: { percent: 30, holdMinutes: random.of([1, 30]) } } : {}),
  });
  const [id, row] = [publicId(campaign.id), campaign.id];
  play.campaigns.push({
    id,
    row,
    type,
    hasTopic,
    audience: new Register<ToldAudience>(audience, 0),
    status: "DRAFT",
    frozenBy: null,
    writtenBy: null,
  });
}

export function audienceFields(audience: ToldAudience, segmentId: Id) {
  if (audience === null) return { audienceType: "ALL" as const };
  if (audience === "segment") return { audienceType: "SEGMENT" as const, segmentId };
  return { audienceType: "FILTERED" as const, audienceCondition: audience.condition };
}

/** The context of a process that waits for its turn before each step. No two steps have the same time. */
export function contextOf(play: Play, turn?: Turn, death?: Death): Context {
  const { world, row, provider } = play;
  const { platform, process } = world.process(death);
  const step = process.step.bind(process);
  let handedAt = 0;
  const take: typeof step = async (name, effect) => {
    await turn?.();
    world.now += 1;
    if (name === "batch") handedAt = world.now;
    if (name === "provider") provider.handedAt = handedAt;
    return step(name, effect);
  };
  // An actor takes one step at a time, also those that it begins at once, such as its calls of shards.
  let before: Promise<unknown> = Promise.resolve();
  process.step = (name, effect) => {
    const taken = before.then(() => take(name, effect));
    before = taken.catch(() => {});
    return taken;
  };
  const ctx = forProject({ ...platform, callsAtOnce: 1 }, row);
  // Sweeps have no other database to look into.
  return { ...ctx, databases: [ctx.db], origin: "https://petrel.example" };
}
