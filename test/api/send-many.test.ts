import { expect, it } from "vitest";
import { QueueMessage } from "../../src/core/messages";
import { effects } from "../support/effects";
import { newProject } from "../support/project";
import { emailRows } from "../support/rows";
import { emailIds } from "../support/send-and-wait";
import { callWith } from "../support/with-settings";
import { World } from "../support/world";

it("takes 500 recipients in one call, answers in their order, and each gets a mail", async () => {
  const project = await newProject();
  const to = Array.from({ length: 500 }, (_, index) => `r${(index * 7919) % 500}@example.com`);
  // Held, and worked on by a world below: through the real queue and the outbox they would hold up the mail of other tests.
  const jobs: QueueMessage[] = [];
  const held: Pick<Queue, "sendBatch"> = {
    sendBatch: async (messages) => {
      for (const { body } of messages) jobs.push(QueueMessage.parse(body));
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    },
  };
  const sent = await callWith({ MAIL_QUEUE: held as Queue }, "POST", "/v1/send", {
    token: project.keys.secret,
    body: { to, from: `hello@${project.domain}`, subject: "Hello", body: "<p>{{ email }}</p>" },
  });
  expect(new Set(emailIds(sent)).size).toBe(500);
  expect(sent.body.data.emails.map((item: { contact: { email: string } }) => item.contact.email)).toEqual(to);
  expect(await effects(project)).toMatchObject({ contacts: 500, emails: 500, "emails of the month": 500 });

  const world = new World();
  world.queue = jobs.map((job) => ({ queued: { message: job }, due: world.now }));
  await world.drain();
  expect(world.taken.map((message) => message.to.email).toSorted()).toEqual(to.toSorted());
  expect((await emailRows(project)).filter(({ status }) => status === "SENT")).toHaveLength(500);
});
