import { describe, expect, it, vi } from "vitest";
import { call, newProject, type TestProject } from "../support/project";
import { isoTime } from "../support/refusal";
import { eventCounts } from "../support/rows";
import { contactOf, emailIds, emailIn, sendAndWait } from "../support/send-and-wait";

/** Each mailbox plainly, with a tag, below the domain, and as people may write it. */
const everywhere = (mailbox: string) => [
  `${mailbox}@simulator.test`,
  `${mailbox}+any-tag@simulator.test`,
  `${mailbox}@eu.mail.simulator.test`,
  `${mailbox.toUpperCase()}+Tag+2@Sub.SIMULATOR.test`,
];

describe("bounce@", () => {
  it.each(everywhere("bounce"))(
    "%s bounces for good, unsubscribes the contact and suppresses the address",
    async (to) => {
      const project = await newProject();
      const sent = await project.api.send({ to, subscribed: true });
      const email = await emailIn(project, emailIds(sent)[0] ?? "", "BOUNCED");
      expect(email).toMatchObject({
        attempts: 1,
        error: expect.stringContaining("550"),
        sentAt: expect.stringMatching(isoTime),
        bouncedAt: expect.stringMatching(isoTime),
        deliveredAt: null,
      });
      expect(email.events.map((event: { name: string }) => event.name)).toEqual(["email.sent", "email.bounced"]);
      expect(email.events[1].data).toMatchObject({ bounceType: "hard", reason: email.error });
      expect((await contactOf(project, sent)).subscribed).toBe(false);
      expect(await unsubscriptions(project)).toEqual([{ reason: "bounce" }]);
      expect(await suppressions(project)).toEqual([{ email: to.toLowerCase(), reason: "bounce" }]);
    },
  );

  it("makes the next mail of any call SUPPRESSED, with no second event and no call of the provider", async () => {
    const project = await newProject();
    await sendAndWait(project, { to: "bounce@simulator.test", subscribed: true }, "BOUNCED");
    const sent = await project.api.send({ to: "Bounce@simulator.test" });
    expect(sent.body.data.emails[0].status).toBe("SUPPRESSED");
    await emailIn(project, emailIds(sent)[0] ?? "", "SUPPRESSED");
    expect(await eventCounts(project)).toEqual({ "email.sent": 1, "email.bounced": 1, "contact.unsubscribed": 1 });
  });

  it("emits no contact.unsubscribed for a contact that was not subscribed", async () => {
    const project = await newProject();
    await sendAndWait(project, { to: "bounce@simulator.test" }, "BOUNCED");
    expect(await unsubscriptions(project)).toEqual([]);
    expect(await suppressions(project)).toHaveLength(1);
  });
});

describe("softbounce@", () => {
  it.each(everywhere("softbounce"))("%s bounces, and the contact stays subscribed and reachable", async (to) => {
    const project = await newProject();
    const sent = await project.api.send({ to, subscribed: true });
    const email = await emailIn(project, emailIds(sent)[0] ?? "", "BOUNCED");
    expect(email.error).toContain("452");
    expect(email.events[1]).toMatchObject({ name: "email.bounced", data: { bounceType: "soft", reason: email.error } });
    expect((await contactOf(project, sent)).subscribed).toBe(true);
    expect([await unsubscriptions(project), await suppressions(project)]).toEqual([[], []]);
  });
});

describe("complaint@", () => {
  it.each(everywhere("complaint"))("%s is delivered and complains, which unsubscribes and suppresses", async (to) => {
    const project = await newProject();
    const sent = await project.api.send({ to, subscribed: true });
    const email = await emailIn(project, emailIds(sent)[0] ?? "", "COMPLAINED");
    expect(email).toMatchObject({
      error: null,
      deliveredAt: expect.stringMatching(isoTime),
      complainedAt: expect.stringMatching(isoTime),
      bouncedAt: null,
    });
    const names = email.events.map((event: { name: string }) => event.name);
    expect(names).toEqual(["email.sent", "email.delivered", "email.complained"]);
    expect((await contactOf(project, sent)).subscribed).toBe(false);
    expect(await unsubscriptions(project)).toEqual([{ reason: "complaint" }]);
    expect(await suppressions(project)).toEqual([{ email: to.toLowerCase(), reason: "complaint" }]);
  });
});

describe("reject@", () => {
  it.each(everywhere("reject"))("%s is refused by the provider, and fails at once", async (to) => {
    const project = await newProject();
    const email = await sendAndWait(project, { to, subscribed: true }, "FAILED");
    expect(email).toMatchObject({ attempts: 1, sentAt: null, error: expect.stringContaining("400") });
    expect(email.events).toMatchObject([{ name: "email.failed", data: { emailId: email.id, reason: email.error } }]);
    expect(await suppressions(project)).toEqual([]);
  });
});

describe("throttle@", () => {
  it.each(everywhere("throttle"))("%s stays QUEUED after one try, with a time for the next", async (to) => {
    const project = await newProject();
    const before = Date.now();
    const [id = ""] = emailIds(await project.api.send({ to }));
    const row = await vi.waitFor(async () => {
      const found = await project.db
        .prepare("SELECT status, attempts, error, next_attempt_at AS retryAt FROM emails WHERE id = ?")
        .bind(id)
        .first<{ status: string; attempts: number; error: string; retryAt: number }>();
      expect(found).toMatchObject({ status: "QUEUED", attempts: 1, error: expect.stringContaining("429") });
      return found;
    }, 10_000);
    expect(row?.retryAt).toBeGreaterThan(before + 3_000);
    expect(row?.retryAt).toBeLessThan(Date.now() + 6_000);
    expect((await project.api.get(`/emails/${id}`)).body).toMatchObject({ status: "QUEUED", sentAt: null, events: [] });
  });
});

describe("timeout@", () => {
  it.each(everywhere("timeout"))("%s ends UNKNOWN, says so, and is not sent again", async (to) => {
    const project = await newProject();
    const email = await sendAndWait(project, { to, subscribed: true }, "UNKNOWN");
    expect(email).toMatchObject({
      attempts: 1,
      sentAt: null,
      error: expect.stringContaining("did not answer"),
      events: [],
    });
    const row = await project.db
      .prepare("SELECT next_attempt_at, due_at FROM emails WHERE id = ?")
      .bind(email.id)
      .first();
    expect(row).toEqual({ next_attempt_at: null, due_at: null });
  });
});

describe("everyone else", () => {
  it.each([
    "someone@simulator.test",
    "bounce-me@simulator.test",
    "bounce@simulator.test.example.com",
    "bounce@notsimulator.test",
    "bounce@example.com",
  ])("%s gets their mail", async (to) => {
    await sendAndWait(await newProject(), { to });
  });

  it("at the simulator who gets no mail has none in the outbox", async () => {
    const project = await newProject();
    const mailbox = (name: string) => `${name}+${project.id}@simulator.test`;
    await sendAndWait(project, { to: mailbox("reject") }, "FAILED");
    await sendAndWait(project, { to: mailbox("bounce") }, "BOUNCED");
    const kept = async (name: string) =>
      (await call("GET", `/outbox/messages?to=${encodeURIComponent(mailbox(name))}`)).body.data.length;
    // A bounce comes from the recipient's side: the provider had taken the mail.
    expect([await kept("reject"), await kept("bounce")]).toEqual([0, 1]);
  });
});

async function unsubscriptions(project: TestProject): Promise<unknown[]> {
  const { results } = await project.db
    .prepare("SELECT data FROM events WHERE project_id = ? AND name = 'contact.unsubscribed'")
    .bind(project.id)
    .all<{ data: string }>();
  return results.map(({ data }) => JSON.parse(data));
}

async function suppressions(project: TestProject): Promise<unknown[]> {
  const { results } = await project.db
    .prepare("SELECT email, reason FROM suppressions WHERE project_id = ?")
    .bind(project.id)
    .all();
  return results;
}
