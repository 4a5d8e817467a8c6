import { publicId, readId } from "../../src/core/ids";
import { hardBounce, type Notice } from "../../src/core/mail/notices/notice";
import { writeTag } from "../../src/core/mail/tag";
import { snoozeContact } from "../../src/engine/contacts/snooze";
import { deleteContact } from "../../src/features/contacts/delete";
import { chooseTopics } from "../../src/features/contacts/topics/topics";
import { updateContact } from "../../src/features/contacts/update";
import { upsertContact } from "../../src/features/contacts/upsert";
import { takeReport } from "../../src/features/hooks/take-report";
import { deleteSegment } from "../../src/features/segments/delete";
import { updateSegment } from "../../src/features/segments/update";
import { addSuppression } from "../../src/features/suppressions/add";
import { removeSuppression } from "../../src/features/suppressions/remove";
import type { Drawn } from "./acts";
import { newPerson, type Person, type Play } from "./campaign-play";
import { Register } from "./register";

export type Draw = (play: Play) => Drawn;

/** What happens to contacts, and to what decides which of them a campaign goes to. */
export const changing: Draw[] = [
  ...[unsubscribe, unsubscribe, subscribe, snooze, suppress, unsuppress, erase, erase, create, create],
  ...[changePlan, changePlan, leaveTopic, joinTopic, report, report, changeSegment, removeSegment],
];

function anyone({ people, random, world }: Play): Person {
  const there = people.filter(({ exists }) => exists.possible(world.now + 1).has(true));
  return random.of(there.length > 0 ? there : people);
}

function unsubscribe(play: Play): Drawn {
  const { id, email, subscribed } = anyone(play);
  return {
    name: `unsubscribe ${email}`,
    run: (ctx) => updateContact(ctx, readId(id), { subscribed: false }),
    told: (span) => subscribed.write(false, span),
  };
}

function subscribe(play: Play): Drawn {
  const { id, email, subscribed } = anyone(play);
  return {
    name: `subscribe ${email}`,
    run: (ctx) => updateContact(ctx, readId(id), { subscribed: true }),
    told: (span) => subscribed.write(true, span),
  };
}

function snooze(play: Play): Drawn {
  const person = anyone(play);
  const until = play.world.now + play.random.of([2, 60]) * 60_000;
  return {
    name: `snooze ${person.email}`,
    run: (ctx) => snoozeContact(ctx, readId(person.id), { until }),
    told(span) {
      person.wasSnoozed = true;
      person.subscribed.write(false, span);
    },
  };
}

function suppress(play: Play): Drawn {
  const { email } = anyone(play);
  return {
    name: `suppress ${email}`,
    run: (ctx) => addSuppression(ctx, { email }),
    told: (span) => play.suppressed.get(email)?.write(true, span),
  };
}

function unsuppress(play: Play): Drawn {
  const { email } = anyone(play);
  return {
    name: `take ${email} off the suppression list`,
    run: (ctx) => removeSuppression(ctx, email),
    told: (span) => play.suppressed.get(email)?.write(false, span),
  };
}

function erase(play: Play): Drawn {
  const { id, email, exists } = anyone(play);
  return {
    name: `delete ${email}`,
    run: (ctx) => deleteContact(ctx, readId(id)),
    told: (span) => exists.write(false, span),
  };
}

/** Somebody new, or somebody who was deleted comes back as another contact. */
function create(play: Play): Drawn {
  const { people, random, world, reserved } = play;
  const isThere = (email: string) =>
    people.some((person) => person.email === email && person.exists.possible(world.now + 1).has(true));
  const gone = people.map(({ email }) => email).filter((email) => !isThere(email) && !reserved.has(email));
  const email = gone[0] ?? `new-${people.length}-${reserved.size}@example.com`;
  reserved.add(email);
  const plan = random.of(["pro", "free"]);
  let made: { id: string; subscribed: boolean } | null = null;
  return {
    name: `create ${email}`,
    isImmortal: true,
    async run(ctx) {
      const { contact } = await upsertContact(ctx, { email, data: { plan } });
      made = { id: publicId(contact.id), subscribed: contact.subscribed };
    },
    told(span) {
      if (!made) return;
      const { id, subscribed } = made;
      const person = newPerson(play, id, email, { subscribed, plan });
      person.exists = Register.since(true, false, span);
      people.push(person);
    },
  };
}

function changePlan(play: Play): Drawn {
  const { id, email, plan } = anyone(play);
  const next = play.random.of(["pro", "free"]);
  return {
    name: `${email} is ${next}`,
    run: (ctx) => updateContact(ctx, readId(id), { data: { plan: next } }),
    told: (span) => plan.write(next, span),
  };
}

function leaveTopic(play: Play): Drawn {
  return choose(play, false);
}

function joinTopic(play: Play): Drawn {
  return choose(play, true);
}

function choose(play: Play, isIn: boolean): Drawn {
  const { id, email, isInTopic } = anyone(play);
  const topics = { [play.topic.slug]: isIn };
  return {
    name: `${email} ${isIn ? "joins" : "leaves"} the topic`,
    run: (ctx) => chooseTopics(ctx, readId(id), { topics }),
    told: (span) => isInTopic.write(isIn, span),
  };
}

/** The provider reports a mail that it took. A bounce may also be one that is known already. */
function report(play: Play): Drawn {
  const { provider, random, project, world, people } = play;
  const taken = [...provider.takes].filter(([, takes]) => takes.length > 0);
  if (taken.length === 0) return changePlan(play);
  const [emailId, takes] = random.of(taken);
  const to = takes[0]?.to ?? "";
  const report = random.of<Notice["report"]>([{ kind: "delivered" }, { kind: "complained" }, hardBounce([])]);
  const tag = writeTag({ projectId: project.id, emailId });
  return {
    name: `${to} ${report.kind}`,
    run: (ctx) => takeReport(ctx, "double", { tag, providerMessageId: "m-1", id: `n${world.now}`, report }),
    told(span) {
      if (report.kind === "delivered") return;
      play.suppressed.get(to)?.write(true, { ...span, isSure: false });
      for (const { email, subscribed } of people) if (email === to) subscribed.write(false, { ...span, isSure: false });
    },
  };
}

function changeSegment({ segment, rules, random }: Play): Drawn {
  const rule = random.of(rules);
  return {
    name: `the segment is ${JSON.stringify(rule.condition).slice(0, 100)}`,
    run: (ctx) => updateSegment(ctx, segment.row, { condition: rule.condition }),
    told: (span) => segment.rule.write(rule, span),
  };
}

/** It is not while a campaign uses it that is not over. */
function removeSegment(play: Play): Drawn {
  const { segment, project } = play;
  return {
    name: "delete the segment",
    async run(ctx) {
      await deleteSegment(ctx, segment.row);
      const query = `SELECT id, status FROM campaigns WHERE project_id = ? AND segment_id = ? AND status IN ('DRAFT', 'SCHEDULED')`;
      const { results } = await project.db.prepare(query).bind(project.number, segment.row).all();
      if (results.length > 0) throw new Error(`The segment of ${JSON.stringify(results)} was deleted`);
    },
    told(span) {
      if (span.isSure) segment.isThere = false;
    },
  };
}
