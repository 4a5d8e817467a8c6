import { describe, expect, it } from "vitest";
import { effects } from "../support/effects";
import { framed } from "../support/framed";
import { newProject, type TestProject } from "../support/project";
import { isoTime, uuid } from "../support/refusal";
import { emailRows, eventCounts } from "../support/rows";
import { emailIds, emailIn, mailOf, sendAndOpen } from "../support/send-and-wait";

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

describe("a call that is accepted", () => {
  it("answers with the contact and the email of its recipient, and delivers the mail", async () => {
    const project = await newProject();
    const sent = await project.api.send({
      to: "Ada@Example.com",
      subject: "Hi {{ firstName }}",
      data: { firstName: "Ada" },
    });
    expect(sent.status).toBe(200);
    expect(sent.body).toEqual({
      success: true,
      data: {
        emails: [
          {
            contact: { id: expect.stringMatching(uuid), email: "ada@example.com" },
            email: expect.stringMatching(uuid),
            status: "QUEUED",
          },
        ],
        timestamp: expect.stringMatching(isoTime),
      },
    });
    const email = await emailIn(project, sent.body.data.emails[0].email, "DELIVERED");
    expect(email.subject).toBe("Hi Ada");
    expect(await eventCounts(project)).toEqual({ "email.sent": 1, "email.delivered": 1 });
  });

  it("creates one contact, one email and one content, and no event of the contact", async () => {
    const project = await newProject();
    const [id = ""] = emailIds(await project.api.send({ to: "bounce@simulator.test" }));
    expect(await effects(project)).toMatchObject({
      contacts: 1,
      emails: 1,
      email_contents: 1,
      "emails of the month": 1,
    });
    await emailIn(project, id, "BOUNCED");
    expect(Object.keys(await eventCounts(project))).not.toContain("contact.unsubscribed");
  });

  it("writes the To header as the caller wrote the address", async () => {
    const project = await newProject();
    const mail = await sendAndOpen(project, { to: { name: "Ada L.", email: " Ada.L@Example.COM " } });
    // The name and the mailbox; a domain has no case (RFC 5321 section 2.4).
    expect(mail.to).toMatch(/^Ada L\. <Ada\.L@example\.com>$/i);
    expect(mail.to).toContain("Ada L. <Ada.L@");
  });

  it("takes a domain in any script, and keeps the contact under its ASCII form", async () => {
    const project = await newProject();
    const sent = await project.api.send({ to: "ada@Bücher.example" });
    expect(sent.body.data.emails[0].contact.email).toBe("ada@xn--bcher-kva.example");
    await mailOf(project, sent.body.data.emails[0].email);
  });
});

describe("many recipients", () => {
  it("get one contact and one mail each, answered in their order", async () => {
    const project = await newProject();
    const to = ["cyd@example.com", { name: "Ada", email: "ada@example.com" }, { email: "bob@example.com" }];
    const sent = await project.api.send({ to, body: "<p>{{ email }} {{ name ?? 'nobody' }}</p>" });
    expect(sent.body.data.emails.map((item: { contact: { email: string } }) => item.contact.email)).toEqual([
      "cyd@example.com",
      "ada@example.com",
      "bob@example.com",
    ]);
    const mails = await Promise.all(emailIds(sent).map((id) => mailOf(project, id)));
    expect(mails.map((mail) => [mail.to, mail.html])).toEqual([
      ["cyd@example.com", framed("<p>cyd@example.com nobody</p>")],
      ["Ada <ada@example.com>", framed("<p>ada@example.com Ada</p>")],
      ["bob@example.com", framed("<p>bob@example.com nobody</p>")],
    ]);
    expect(await effects(project)).toMatchObject({ contacts: 3, emails: 3, email_contents: 1 });
  });

  it("named twice are one contact and two mails, whatever the case of the address", async () => {
    const project = await newProject();
    const to = [
      { name: "First", email: "ada@example.com" },
      { name: "Second", email: "ADA@example.com" },
    ];
    const sent = await project.api.send({ to, subscribed: true, body: "<p>{{ name }}</p>" });
    const [first, second] = sent.body.data.emails;
    expect(first.contact).toEqual(second.contact);
    expect(first.email).not.toBe(second.email);
    const mails = await Promise.all(emailIds(sent).map((id) => mailOf(project, id)));
    expect(mails.map((mail) => mail.html)).toEqual([framed("<p>First</p>"), framed("<p>Second</p>")]);
    expect(await effects(project)).toMatchObject({ contacts: 1, emails: 2, "emails of the month": 2 });
  });

  it("are told apart when some are suppressed", async () => {
    const project = await newProject();
    await suppress(project, "gone@example.com");
    const sent = await project.api.send({ to: ["ada@example.com", "GONE@example.com", "bob@example.com"] });
    expect(sent.body.data.emails.map((item: { status: string }) => item.status)).toEqual([
      "QUEUED",
      "SUPPRESSED",
      "QUEUED",
    ]);
    const [ada = "", gone = "", bob = ""] = emailIds(sent);
    await Promise.all([ada, bob].map((id) => emailIn(project, id, "DELIVERED")));
    const record = await emailIn(project, gone, "SUPPRESSED");
    expect(record).toMatchObject({ attempts: 0, provider: null, sentAt: null, events: [] });
    expect(record.error).toContain("suppression list");
  });
});

describe("at the same time", () => {
  it("16 sends to one new address make one contact and sixteen mails", async () => {
    const project = await newProject();
    const answers = await Promise.all(times(16, (index) => project.api.send({ subject: `Mail ${index}` })));
    const ids = answers.flatMap(emailIds);
    expect(new Set(ids).size).toBe(16);
    expect(new Set(answers.map((answer) => answer.body.data.emails[0].contact.id)).size).toBe(1);
    const mails = await Promise.all(ids.map((id) => mailOf(project, id)));
    expect(mails.map((mail) => mail.subject)).toEqual(times(16, (index) => `Mail ${index}`));
    expect(await effects(project)).toMatchObject({ contacts: 1, emails: 16, "emails of the month": 16 });
  });

  it("16 sends with different data keys keep all sixteen keys", async () => {
    const project = await newProject();
    const answers = await Promise.all(times(16, (index) => project.api.send({ data: { [`key${index}`]: index } })));
    answers.flatMap(emailIds);
    const { body } = await project.api.get(`/contacts/${answers[0]?.body.data.emails[0].contact.id}`);
    expect(body.data).toEqual(Object.fromEntries(times(16, (index) => [`key${index}`, index])));
  });

  it("16 sends that subscribe a contact leave one event", async () => {
    const project = await newProject();
    await project.api.send({ to: "ada@example.com" });
    const answers = await Promise.all(times(16, () => project.api.send({ to: "ada@example.com", subscribed: true })));
    answers.flatMap(emailIds);
    expect((await eventCounts(project))["contact.subscribed"]).toBe(1);
  });

  it("two calls with the same recipients in opposite order both succeed", async () => {
    const project = await newProject();
    const to = times(20, (index) => `r${index}@example.com`);
    const answers = await Promise.all([to, to.toReversed(), to].map((list) => project.api.send({ to: list })));
    answers.flatMap(emailIds);
    expect(await effects(project)).toMatchObject({ contacts: 20, emails: 60 });
  });
});

describe("a contact is the project's own", () => {
  it("so one address in two projects is two contacts", async () => {
    const [one, two] = [await newProject(), await newProject()];
    const answers = [await one.api.send({ data: { plan: "a" } }), await two.api.send({ data: { plan: "b" } })];
    const [first, second] = answers.map((answer) => answer.body.data.emails[0].contact.id);
    expect(first).not.toBe(second);
    expect((await one.api.get(`/contacts/${first}`)).body.data).toEqual({ plan: "a" });
    expect((await two.api.get(`/contacts/${second}`)).body.data).toEqual({ plan: "b" });
    expect(await emailRows(one)).toHaveLength(1);
    expect(await emailRows(two)).toHaveLength(1);
  });

  it("and so is a suppression", async () => {
    const [one, two] = [await newProject(), await newProject()];
    await suppress(one, "ada@example.com");
    expect((await one.api.send()).body.data.emails[0].status).toBe("SUPPRESSED");
    expect((await two.api.send()).body.data.emails[0].status).toBe("QUEUED");
  });
});

async function suppress(project: TestProject, email: string): Promise<void> {
  await project.db
    .prepare("INSERT INTO suppressions (project_id, email, reason, created_at) VALUES (?, ?, 'manual', 0)")
    .bind(project.id, email)
    .run();
}
