import { describe, expect, it } from "vitest";
import { bearer, call, newProject } from "../support/project";
import { expectRefusal, isoTime } from "../support/refusal";
import { emailIds, emailIn } from "../support/send-and-wait";

describe("GET /emails/{id}", () => {
  it("answers with the whole record and what happened to it, oldest first", async () => {
    const project = await newProject();
    const sent = await project.api.send({
      to: "Ada@Example.com",
      from: { name: "Acme", email: `Hello@${project.domain}` },
      reply: "support@example.com",
      subject: "Hi {{ firstName }}",
      data: { firstName: "Ada" },
    });
    const [id = ""] = emailIds(sent);
    const email = await emailIn(project, id, "DELIVERED");
    const data = { emailId: id, subject: "Hi Ada", templateId: null, campaignId: null, source: "TRANSACTIONAL" };
    expect(email).toEqual({
      id,
      contactId: sent.body.data.emails[0].contact.id,
      to: "ada@example.com",
      subject: "Hi Ada",
      from: `hello@${project.domain}`,
      fromName: "Acme",
      replyTo: "support@example.com",
      type: "TRANSACTIONAL",
      source: "TRANSACTIONAL",
      templateId: null,
      campaignId: null,
      variant: null,
      workflowExecutionId: null,
      status: "DELIVERED",
      error: null,
      settledBy: null,
      attempts: 1,
      provider: "outbox",
      providerMessageId: expect.any(String),
      opens: 0,
      clicks: 0,
      createdAt: sent.body.data.timestamp,
      scheduledAt: null,
      sentAt: expect.stringMatching(isoTime),
      deliveredAt: expect.stringMatching(isoTime),
      openedAt: null,
      clickedAt: null,
      bouncedAt: null,
      complainedAt: null,
      events: [
        { name: "email.sent", at: expect.stringMatching(isoTime), data },
        { name: "email.delivered", at: expect.stringMatching(isoTime), data },
      ],
    });
  });

  it("shows the subject as it was given until the mail is handed over", async () => {
    const project = await newProject();
    const body = "{% for i in (1..100000000) %}x{% endfor %}";
    const [id = ""] = emailIds(await project.api.send({ subject: "Hi {{ firstName }}", body }));
    const email = await emailIn(project, id, "FAILED");
    expect(email).toMatchObject({ subject: "Hi {{ firstName }}", attempts: 0, provider: null });
  });

  it("finds no email of another project", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const [id = ""] = emailIds(await other.api.send());
    expectRefusal(await mine.api.get(`/emails/${id}`), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "email", id },
    });
  });

  it.each(["01990000-0000-7000-8000-000000000000", "nope"])("says 404 to an id that does not exist: %s", async (id) => {
    const project = await newProject();
    expectRefusal(await project.api.get(`/emails/${id}`), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "email", id },
    });
  });

  it("takes a secret key only", async () => {
    const project = await newProject();
    const [id = ""] = emailIds(await project.api.send());
    expectRefusal(await call("GET", `/emails/${id}`), 401, "INVALID_API_KEY");
    expectRefusal(await call("GET", `/emails/${id}`, undefined, bearer(project.keys.public)), 401, "INVALID_API_KEY");
  });
});
