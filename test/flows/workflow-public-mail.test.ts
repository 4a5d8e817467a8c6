import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { type Id, publicId } from "../../src/core/ids";
import { openBatch } from "../../src/db/batch";
import { insertEvents } from "../../src/engine/events/record";
import { computeDueSegments } from "../../src/features/segments/sweep-due";
import { newProject, type TestProject } from "../support/project";
import { emailRows } from "../support/rows";
import { newSegment } from "../support/segment";
import { newTemplate } from "../support/template";
import { addressOf, executionsOf, newWorkflow, track } from "../support/workflow";
import { World } from "../support/world";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A world at the beginning of a clock hour. */
function atFullHour(settings: World["settings"] = {}): World {
  const world = new World();
  world.now = Math.ceil(world.now / hourMs) * hourMs;
  world.settings = settings;
  return world;
}

/** A workflow that mails whoever signs up. */
async function welcoming(
  given: { template?: Record<string, unknown>; allowReentry?: boolean; config?: object; eventName?: string } = {},
): Promise<TestProject> {
  const project = await newProject();
  await addWelcome(project, given);
  return project;
}

async function addWelcome(
  project: TestProject,
  {
    template = {},
    allowReentry = false,
    config = {},
    eventName,
    publicEvents,
  }: {
    template?: Record<string, unknown>;
    allowReentry?: boolean;
    config?: object;
    eventName?: string;
    publicEvents?: boolean;
  } = {},
): Promise<void> {
  const { id: templateId } = await newTemplate(project, { type: "TRANSACTIONAL", ...template });
  await newWorkflow(project, {
    eventName,
    publicEvents,
    allowReentry,
    steps: { mail: ["SEND_EMAIL", config, { templateId }], end: ["EXIT", {}] },
    ways: [
      ["TRIGGER", "mail"],
      ["mail", "end"],
    ],
  });
}

const asVisitor = (email: string, data: object = {}) => ({ email, data, key: "public" as const });

describe("mail that events of public keys cause", () => {
  it("is so much of a project and hour; the rest goes on by itself in the next one, and says why it waits", async () => {
    const project = await welcoming();
    const world = atFullHour({ PUBLIC_MAILS_PER_HOUR: "3" });
    const people: Awaited<ReturnType<typeof track>>[] = [];
    for (let n = 0; n < 8; n++) people.push(await track(world, project, "signup", asVisitor(`v${n}@example.com`)));
    await world.drain();
    expect(await emailRows(project)).toHaveLength(3);
    const runs = [];
    for (const { contactId } of people) runs.push(...(await executionsOf(world, project, contactId)));
    const waiting = runs.filter(({ status }) => status === "WAITING");
    expect(waiting).toHaveLength(5);
    const explained = await project.api.get(
      `/workflows/${idOf(waiting[0]?.workflowId)}/executions/${idOf(waiting[0]?.id)}/explain`,
    );
    expect(explained.body.path.at(-1)).toMatchObject({
      type: "SEND_EMAIL",
      outcome: "WAITING",
      reason: expect.stringContaining("PUBLIC_MAILS_PER_HOUR"),
      nextAt: new Date(world.now + hourMs).toISOString(),
    });
    const wakeAll = async () => {
      for (const { contactId } of people) await world.ring(addressOf(project, contactId));
      await world.drain();
    };
    world.now += hourMs - 1;
    await wakeAll();
    expect(await emailRows(project)).toHaveLength(3);
    world.now += 1;
    await wakeAll();
    expect(await emailRows(project)).toHaveLength(6);
    world.now += hourMs;
    await wakeAll();
    expect(await emailRows(project)).toHaveLength(8);
    expect(new Set((await emailRows(project)).map(({ to_email }) => to_email)).size).toBe(8);
  });

  it("is 500 by default, and none with 0", async () => {
    const project = await welcoming();
    const world = atFullHour();
    await track(world, project, "page_view", asVisitor("v0@example.com"));
    const used = (n: number) =>
      project.db
        .prepare("UPDATE project_counts SET public_mail_hour = ?, public_mails = ? WHERE project_id = ?")
        .bind(world.now / hourMs, n, project.number)
        .run();
    await used(500);
    await track(world, project, "signup", asVisitor("v1@example.com"));
    await world.drain();
    expect(await emailRows(project)).toHaveLength(0);
    await used(499);
    await track(world, project, "signup", asVisitor("v2@example.com"));
    await world.drain();
    expect(await emailRows(project)).toHaveLength(1);
    world.settings = { PUBLIC_MAILS_PER_HOUR: "0" };
    await used(0);
    await track(world, project, "signup", asVisitor("v3@example.com"));
    await world.drain();
    expect(await emailRows(project)).toHaveLength(1);
  });

  it("holds up no mail that a server's event causes", async () => {
    const project = await welcoming();
    const world = atFullHour({ PUBLIC_MAILS_PER_HOUR: "0" });
    await track(world, project, "signup", { email: "server@example.com" });
    await track(world, project, "signup", asVisitor("visitor@example.com"));
    await world.drain();
    expect((await emailRows(project)).map(({ to_email }) => to_email)).toEqual(["server@example.com"]);
  });

  it("counts each mail once, wherever the step dies and is done again", async () => {
    for (const when of ["before", "after"] as const) {
      for (const atStep of [1, 2, 3, 4, 5, 6]) {
        const project = await welcoming();
        const world = atFullHour({ PUBLIC_MAILS_PER_HOUR: "10" });
        const { contactId } = await track(world, project, "signup", asVisitor("ada@example.com"));
        world.shardPlatform = () => world.process({ atStep, when }).platform;
        await world.drain().catch(() => {});
        world.shardPlatform = () => world.process().platform;
        for (let n = 0; n < 10; n++) {
          world.now += minuteMs;
          await world.drain();
          await world.ring(addressOf(project, contactId));
        }
        expect(await emailRows(project)).toHaveLength(1);
        const counted = await project.db
          .prepare("SELECT public_mails FROM project_counts WHERE project_id = ?")
          .bind(project.number)
          .first<number>("public_mails");
        expect(counted, `${when} ${atStep}`).toBe(1);
      }
    }
  });

  it("is also that of an execution which a server's event started and a public one woke, as long as it lives", async () => {
    const project = await newProject();
    const { id: templateId } = await newTemplate(project, { type: "TRANSACTIONAL" });
    await newWorkflow(project, {
      steps: {
        wait: ["WAIT_FOR_EVENT", { eventName: "asked" }],
        answer: ["WAIT_FOR_EVENT", { eventName: "answered" }],
        mail: ["SEND_EMAIL", {}, { templateId }],
      },
      ways: [
        ["TRIGGER", "wait"],
        ["wait", "answer", "event"],
        ["answer", "mail", "event"],
      ],
    });
    const world = atFullHour({ PUBLIC_MAILS_PER_HOUR: "0" });
    await track(world, project, "signup");
    await world.drain();
    // It says nothing, so no key of `event.*` remembers it.
    await track(world, project, "asked", asVisitor("ada@example.com"));
    await world.drain();
    const { contactId } = await track(world, project, "answered", { data: { n: 1 } });
    await world.drain();
    const [run] = await executionsOf(world, project, contactId);
    expect(run).toMatchObject({ status: "WAITING" });
    expect(await emailRows(project)).toHaveLength(0);
  });
});

describe("what a public key causes by events of the service", () => {
  /** A browser turns a subscription off and on, five times in fifteen seconds. */
  async function flipFiveTimes(world: World, project: TestProject): Promise<void> {
    for (let n = 0; n < 5; n++) {
      for (const subscribed of [false, true]) {
        await track(world, project, "page_view", { ...asVisitor("ada@example.com"), subscribed });
        await world.drain();
        world.now += 1_500;
      }
    }
  }

  async function subscribing(given: Partial<Parameters<typeof addWelcome>[1]> = {}): Promise<TestProject> {
    const project = await newProject();
    await addWelcome(project, { eventName: "contact.subscribed", allowReentry: true, ...given });
    return project;
  }

  const known = (project: TestProject) =>
    project.db.prepare("UPDATE contacts SET source = 'API' WHERE project_id = ?").bind(project.number).run();

  it("mails once for subscriptions that it turns off and on, also to a contact that a server has named", async () => {
    for (const isKnown of [false, true]) {
      const project = await subscribing();
      const world = atFullHour();
      await track(world, project, "page_view", asVisitor("ada@example.com"));
      if (isKnown) await known(project);
      await flipFiveTimes(world, project);
      expect(await emailRows(project)).toHaveLength(1);
    }
  });

  it("counts for the hour, though the contact is known", async () => {
    const project = await subscribing();
    const world = atFullHour({ PUBLIC_MAILS_PER_HOUR: "0" });
    const { contactId } = await track(world, project, "page_view", asVisitor("ada@example.com"));
    await known(project);
    await flipFiveTimes(world, project);
    expect(await emailRows(project)).toHaveLength(0);
    expect(await executionsOf(world, project, contactId)).toMatchObject([{ status: "WAITING" }]);
  });

  it("starts nothing that hears no public events, which a server's flip does start", async () => {
    const project = await subscribing({ publicEvents: false });
    const world = atFullHour();
    const { contactId } = await track(world, project, "page_view", asVisitor("ada@example.com"));
    await known(project);
    await flipFiveTimes(world, project);
    expect(await executionsOf(world, project, contactId)).toEqual([]);
    for (const subscribed of [false, true]) await track(world, project, "page_view", { subscribed });
    await world.drain();
    expect(await executionsOf(world, project, contactId)).toHaveLength(1);
    expect(await emailRows(project)).toHaveLength(1);
  });

  it("wakes nothing that hears no public events", async () => {
    const project = await newProject();
    await newWorkflow(project, {
      publicEvents: false,
      steps: { wait: ["WAIT_FOR_EVENT", { eventName: "contact.unsubscribed" }] },
      ways: [["TRIGGER", "wait"]],
    });
    const world = atFullHour();
    const { contactId } = await track(world, project, "signup");
    await world.drain();
    await flipFiveTimes(world, project);
    expect(await executionsOf(world, project, contactId)).toMatchObject([{ status: "WAITING" }]);
  });

  it("goes through UPDATE_CONTACT to the workflow that its flip starts", async () => {
    const project = await subscribing({ publicEvents: false });
    await addWelcome(project, { eventName: "contact.subscribed" });
    await newWorkflow(project, {
      steps: { update: ["UPDATE_CONTACT", { subscribed: true }] },
      ways: [["TRIGGER", "update"]],
    });
    const world = atFullHour({ PUBLIC_MAILS_PER_HOUR: "0" });
    const { contactId } = await track(world, project, "page_view", { subscribed: false });
    await track(world, project, "signup", asVisitor("ada@example.com"));
    await world.drain();
    const runs = await executionsOf(world, project, contactId);
    expect(runs.map(({ status }) => status).toSorted()).toEqual(["COMPLETED", "WAITING"]);
    expect(await emailRows(project)).toHaveLength(0);
  });

  it("goes through the events of a mail", async () => {
    const project = await welcoming();
    await addWelcome(project, { eventName: "email.sent" });
    const world = atFullHour({ PUBLIC_MAILS_PER_HOUR: "1" });
    const { contactId } = await track(world, project, "page_view");
    await track(world, project, "signup", asVisitor("ada@example.com"));
    await world.drain();
    expect(await emailRows(project)).toHaveLength(1);
    const runs = await executionsOf(world, project, contactId);
    expect(runs.map(({ status }) => status).toSorted()).toEqual(["EXITED", "WAITING"]);
  });

  it("is mail to strangers by the entry into a segment, whose event does not say what caused it", async () => {
    const project = await newProject();
    const condition = {
      logic: "AND",
      groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
    };
    await newSegment(project, { name: "Leads", condition, trackMembership: true });
    await addWelcome(project, { eventName: "segment.leads.entry" });
    const world = atFullHour({ PUBLIC_MAILS_PER_HOUR: "2" });
    for (let n = 0; n < 3; n++)
      await track(world, project, "page_view", asVisitor(`v${n}@example.com`, { plan: "pro" }));
    await track(world, project, "page_view", { email: "server@example.com", data: { plan: "pro" } });
    world.now += hourMs - 1;
    await computeDueSegments(world.process().platform);
    await world.drain();
    const mails = (await emailRows(project)).map(({ to_email }) => to_email);
    expect(mails).toHaveLength(3);
    expect(mails).toContain("server@example.com");
  });
});

describe("a contact whom only public keys have named", () => {
  it("gets one such mail a day, and the next workflow waits for its turn", async () => {
    const project = await welcoming({ eventName: "first" });
    await addWelcome(project, { eventName: "second" });
    const world = atFullHour();
    const { contactId } = await track(world, project, "first", asVisitor("ada@example.com"));
    await world.drain();
    world.now += hourMs;
    await track(world, project, "second", asVisitor("ada@example.com"));
    await track(world, project, "second", asVisitor("bob@example.com"));
    await world.drain();
    const to = async () => (await emailRows(project)).map(({ to_email }) => to_email);
    expect(await to()).toEqual(["ada@example.com", "bob@example.com"]);
    const waiting = (await executionsOf(world, project, contactId)).find(({ status }) => status === "WAITING");
    expect(waiting?.steps.at(-1)).toMatchObject({
      reason: expect.stringContaining("one such email a day"),
      scheduledFor: world.now - hourMs + dayMs,
    });
    world.now += dayMs - hourMs;
    await world.ring(addressOf(project, contactId));
    await world.drain();
    expect((await to()).toSorted()).toEqual(["ada@example.com", "ada@example.com", "bob@example.com"]);
  });

  it.each([
    ["a secret key has named", "UPDATE contacts SET source = 'API'"],
    ["has confirmed", "UPDATE contacts SET confirmed_at = 1"],
  ])("is held to that no longer once it %s", async (_, change) => {
    const project = await welcoming({ eventName: "first" });
    await addWelcome(project, { eventName: "second" });
    const world = atFullHour();
    await track(world, project, "first", asVisitor("ada@example.com"));
    await world.drain();
    await project.db.prepare(`${change} WHERE project_id = ?`).bind(project.number).run();
    await track(world, project, "second", asVisitor("ada@example.com"));
    await world.drain();
    expect(await emailRows(project)).toHaveLength(2);
  });

  it("does not keep its visitor's messages from the team", async () => {
    const config = { recipient: { type: "CUSTOM", customEmail: "team@acme.example" } };
    const project = await welcoming({ config, allowReentry: true });
    const world = atFullHour();
    for (let n = 0; n < 3; n++) {
      await track(world, project, "signup", asVisitor("ada@example.com"));
      await world.drain();
      world.now += 2 * minuteMs;
    }
    expect(await emailRows(project)).toHaveLength(3);
  });
});

describe("what a public event says", () => {
  const template = {
    subject: "{{ event.name }} asks: {{ event.text }}",
    body: "<p>{{ event.text }} {{ event.data.deep.text }} {{ event.text | raw }} {% for p in event.data %}{{ p[0] }} {% endfor %}</p>",
  };
  const data = { text: "see https://evil.example.com or evil.com", deep: { text: "www.evil.com" }, "evil.com": 1 };

  it("becomes no link in subject, HTML and text of its mail", async () => {
    const project = await welcoming({ template });
    const world = atFullHour();
    await track(world, project, "signup", asVisitor("ada@example.com", data));
    await world.drain();
    const [mail] = world.taken;
    expect(mail?.subject).toBe("signup asks: see https[:]//evil[.]example[.]com or evil[.]com");
    for (const part of [mail?.html, mail?.text]) {
      expect(part).toContain("www[.]evil[.]com");
      expect(part).not.toMatch(/evil\.|https:\/\/evil/);
    }
  });

  it("becomes no link by what HTML reads as one", async () => {
    const project = await welcoming({ template: { subject: "Hi", body: "<p>{{ event.text | raw }}</p>" } });
    const world = atFullHour();
    const text = "https:&#x2F;&#x2F;evil&period;example <a href=//1.2.3.4>x</a>";
    await track(world, project, "signup", asVisitor("ada@example.com", { text }));
    await world.drain();
    expect(world.taken[0]?.html).not.toMatch(/<a |href=\/\/|&#x2F;|&period;/);
    expect(world.taken[0]?.text).not.toMatch(/https:\/\/evil|\/\/1/);
  });

  it("is as it was sent where a server sent it", async () => {
    const project = await welcoming({ template });
    const world = atFullHour();
    await track(world, project, "signup", { email: "ada@example.com", data });
    await world.drain();
    expect(world.taken[0]?.subject).toBe("signup asks: see https://evil.example.com or evil.com");
  });

  it("is broken key by key, where a server's event wakes what a public one started", async () => {
    const project = await newProject();
    const { id: templateId } = await newTemplate(project, {
      type: "TRANSACTIONAL",
      subject: "{{ event.theirs }} {{ event.both }} {{ event.ours }}",
    });
    await newWorkflow(project, {
      steps: { wait: ["WAIT_FOR_EVENT", { eventName: "paid" }], mail: ["SEND_EMAIL", {}, { templateId }] },
      ways: [
        ["TRIGGER", "wait"],
        ["wait", "mail", "event"],
      ],
    });
    const world = atFullHour();
    await track(world, project, "signup", asVisitor("ada@example.com", { theirs: "evil.com", both: "evil.com" }));
    await world.drain();
    await track(world, project, "paid", { data: { both: "acme.com", ours: "https://acme.com/1" } });
    await world.drain();
    expect(world.taken[0]?.subject).toBe("evil[.]com acme.com https://acme.com/1");
  });
});

describe("what a public key has stored with a stranger", () => {
  const template = {
    subject: "Hi {{ name }}: {{ contact.data.text }}",
    body: "<p>{{ name }} {{ data.deep.url }} {{ name | raw }}</p>",
  };
  const data = { name: "win at https://evil.example", text: "evil.com", deep: { url: "//1.2.3.4" } };

  it("becomes no link in the mail of a workflow, also of one that no public event has started", async () => {
    for (const eventName of ["signup", "segment.leads.entry"]) {
      const project = await welcoming({ template, eventName });
      const world = atFullHour();
      await track(world, project, "signup", asVisitor("ada@example.com", data));
      if (eventName !== "signup") await enterSegment(world, project);
      await world.drain();
      const [mail] = world.taken;
      expect(mail?.subject).toBe("Hi win at https[:]//evil[.]example: evil[.]com");
      for (const part of [mail?.html, mail?.text]) expect(part).not.toMatch(/https:\/\/evil|[^/]\/\/1|<a /);
    }
  });

  it("becomes no link that UPDATE_CONTACT has copied from the event", async () => {
    const project = await newProject();
    const { id: templateId } = await newTemplate(project, {
      type: "TRANSACTIONAL",
      subject: "{{ contact.data.copy }}",
    });
    await newWorkflow(project, {
      steps: {
        copy: ["UPDATE_CONTACT", { data: { copy: "{{ event.name }} {{ event.text }}" } }],
        mail: ["SEND_EMAIL", {}, { templateId }],
      },
      ways: [
        ["TRIGGER", "copy"],
        ["copy", "mail"],
      ],
    });
    const world = atFullHour();
    await track(world, project, "signup", asVisitor("ada@example.com", { text: "https://evil.example" }));
    await world.drain();
    expect(world.taken[0]?.subject).toBe("signup https[:]//evil[.]example");
  });

  it("is the same in the record of the mail, though a server names the contact meanwhile", async () => {
    const project = await welcoming({ template });
    const world = atFullHour();
    await track(world, project, "signup", asVisitor("ada@example.com", data));
    await world.drain();
    await project.db.prepare("UPDATE contacts SET source = 'API' WHERE project_id = ?").bind(project.number).run();
    const [mail] = (await project.api.get("/emails")).body.data;
    const { body } = await project.api.get(`/emails/${mail.id}/content`);
    expect(body.subject).toBe("Hi win at https[:]//evil[.]example: evil[.]com");
  });

  it("is as it is for a contact that has confirmed, or that a server has named", async () => {
    for (const change of ["confirmed_at = 1", "source = 'API'"]) {
      const project = await welcoming({ template });
      const world = atFullHour();
      await track(world, project, "page_view", asVisitor("ada@example.com", data));
      await project.db.prepare(`UPDATE contacts SET ${change} WHERE project_id = ?`).bind(project.number).run();
      await track(world, project, "signup", asVisitor("ada@example.com"));
      await world.drain();
      expect(world.taken[0]?.subject).toBe("Hi win at https://evil.example: evil.com");
    }
  });
});

/** The event of all contacts of a project, as a computation of the segment writes it. */
async function enterSegment(world: World, project: TestProject): Promise<void> {
  const { ctx } = await world.context(project);
  const batch = openBatch(ctx);
  batch.add(
    insertEvents(ctx, {
      rows: sql`SELECT project_id, 'segment.leads.entry' AS name, id AS contact_id, NULL AS email_id, '{}' AS data
        FROM contacts WHERE project_id = ${project.number}`,
    }),
  );
  await batch.commit();
}

function idOf(id: Id | undefined): string {
  if (id === undefined) throw new Error("There is no such execution");
  return publicId(id);
}
