import { Refusal } from "../../src/core/errors";
import { readId } from "../../src/core/ids";
import { requeueLostJobs } from "../../src/engine/jobs/requeue-lost";
import { deleteContact } from "../../src/features/contacts/delete";
import { updateContact } from "../../src/features/contacts/update";
import { upsertContact } from "../../src/features/contacts/upsert";
import { trackEvent } from "../../src/features/events/track";
import { computeSegment } from "../../src/features/segments/compute";
import { refreshCount } from "../../src/features/segments/count";
import { deleteSegment } from "../../src/features/segments/delete";
import { getSegment } from "../../src/features/segments/segment";
import { computeDueSegments, countDueSegments } from "../../src/features/segments/sweep-due";
import { updateSegment } from "../../src/features/segments/update";
import type { Context } from "../../src/platform/context";
import { handleMessage } from "../../src/queue";
import type { Turn } from "./interleave";
import { type Death, wasKilled } from "./killable";
import type { Random } from "./random";
import { faultsOfAnswer, momentOf } from "./segment-faults";
import { contextOf, type Play } from "./segment-play";
import type { ContactNow } from "./segment-rules";

/** Something that a customer, the cron or the queue does, in a process that may die of it. */
export interface Act {
  name: string;
  /** Returns what was wrong with its answer. */
  run(turn: Turn): Promise<string[]>;
}

interface Drawn {
  name: string;
  run(ctx: Context): Promise<unknown>;
}
type Draw = (play: Play, random: Random) => Drawn;

// Whatever is in a list more often is drawn more often.
const computing: Draw[] = [compute, compute, message];
const changing: Draw[] = [changeContacts, changeContacts, changeContacts, condition, tracking, erase];
const sweeping: Draw[] = [computeDue, computeDue, countDue, requeueLost, timePasses];
const all: Draw[] = [...computing, ...computing, ...changing, ...sweeping, refresh];

/** A computation, something that it is to find, often another computation of the same, and whatever else there is. */
export function drawActs(play: Play, random: Random): Act[] {
  const lists = [computing, changing, random.of([computing, all]), all];
  return lists.slice(0, 2 + random.below(3)).map((from) => drawAct(play, random, from));
}

function drawAct(play: Play, random: Random, from: Draw[]): Act {
  const draw = random.isIn(1) ? deleteIt : random.of(from);
  const { name, run } = draw(play, random);
  const death: Death | undefined = random.isIn(30)
    ? { atStep: 1 + random.below(10), when: random.of(["before", "after"]) }
    : undefined;
  return {
    name: death ? `${name} (dies ${death.when} step ${death.atStep})` : name,
    async run(turn) {
      try {
        const faults = await run(contextOf(play, turn, death));
        return Array.isArray(faults) ? faults : [];
      } catch (error) {
        if (!(error instanceof Refusal) && !wasKilled(error)) throw error;
        return [];
      }
    },
  };
}

function compute(play: Play): Drawn {
  const { segment } = play;
  return {
    name: "compute",
    async run(ctx) {
      const moment = await momentOf(play);
      const computed = await computeSegment(ctx, await getSegment(ctx, readId(segment.id)));
      if ("jobId" in computed) return [];
      play.answered.push(moment);
      return faultsOfAnswer(play, moment, computed.total);
    },
  };
}

/** The queue brings a message again when its consumer has died, and now and then brings it twice. */
function message(play: Play, random: Random): Drawn {
  const { queue } = play.world;
  if (queue.length === 0) return compute(play);
  const isDoubled = random.isIn(30);
  return {
    name: isDoubled ? "message, doubled" : "message",
    async run(ctx) {
      const next = isDoubled ? queue[0] : queue.shift();
      if (!next) return;
      try {
        await handleMessage(ctx, next.queued.message);
      } catch (error) {
        queue.push(next);
        throw error;
      }
    },
  };
}

/** One to three contacts, one after the other. */
export function changeContacts(play: Play, random: Random): Drawn {
  const changes = Array.from({ length: 1 + random.below(3) }, () => changeContact(play, random));
  return {
    name: changes.map(({ name }) => name).join(", "),
    async run(ctx) {
      for (const { run } of changes) await run(ctx);
    },
  };
}

function changeContact({ addresses, contacts }: Play, random: Random): Drawn {
  const email = random.of(addresses);
  const known = contacts.find((contact) => contact.email === email);
  const change = random.isIn(70) ? oppositeOf(known) : anyChange(random);
  const way = random.of(["upsert", "update", "track"]);
  return {
    name: `${way} ${email} ${JSON.stringify(change)}`,
    async run(ctx) {
      if (way === "track") await trackEvent(ctx, { email, event: "login", ...change }, "");
      else if (way === "update" && known) await updateContact(ctx, readId(known.id), change);
      else await upsertContact(ctx, { email, ...change });
    },
  };
}

/** Most rules hold for the contact afterwards if they do not now, and the other way round. */
function oppositeOf(known: ContactNow | undefined) {
  const { plan, n } = known?.data ?? {};
  return {
    data: { plan: plan === "pro" ? "free" : "pro", n: n === 9 ? 2 : 9 },
    subscribed: !known?.subscribed,
  };
}

function anyChange(random: Random) {
  const data = { plan: random.of(["pro", "free", null]), n: random.of([9, 2, "9"]) };
  return random.isIn(40) ? { data, subscribed: random.isIn(50) } : { data };
}

function erase({ contacts }: Play, random: Random): Drawn {
  const { id, email } = random.of(contacts);
  return { name: `delete ${email}`, run: (ctx) => deleteContact(ctx, readId(id)) };
}

function condition(play: Play, random: Random): Drawn {
  return patch(play, { condition: random.of(play.rules).condition });
}

function tracking(play: Play, random: Random): Drawn {
  if (play.segment.state === "untracked") return patch(play, { trackMembership: true });
  const off = { trackMembership: false };
  return random.isIn(60) ? patch(play, off, { trackMembership: true }) : patch(play, off);
}

/** One change after the other. */
function patch({ segment: { id } }: Play, ...changes: Parameters<typeof updateSegment>[2][]): Drawn {
  return {
    name: `patch ${changes.map((change) => JSON.stringify(change).slice(0, 150)).join(", ")}`,
    async run(ctx) {
      for (const change of changes) await updateSegment(ctx, readId(id), change);
    },
  };
}

function refresh({ segment: { id } }: Play): Drawn {
  return { name: "refresh", run: async (ctx) => refreshCount(ctx, await getSegment(ctx, readId(id))) };
}

function deleteIt({ segment: { id } }: Play): Drawn {
  return { name: "delete the segment", run: (ctx) => deleteSegment(ctx, readId(id)) };
}

function computeDue(): Drawn {
  return { name: "sweep what is to be computed", run: computeDueSegments };
}

function countDue(): Drawn {
  return { name: "sweep what is to be counted", run: countDueSegments };
}

function requeueLost(): Drawn {
  return { name: "sweep lost jobs", run: requeueLostJobs };
}

function timePasses({ world }: Play, random: Random): Drawn {
  const minutes = 1 + random.below(8);
  return {
    name: `${minutes} minutes pass`,
    run: async () => {
      world.now += minutes * 60_000;
    },
  };
}
