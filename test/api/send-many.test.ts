import { expect, it, vi } from "vitest";
import { effects } from "../support/effects";
import { newProject } from "../support/project";
import { emailRows } from "../support/rows";
import { emailIds } from "../support/send-and-wait";

// In a file of its own: five hundred mails on the way would hold up those of other tests.
it("takes 500 recipients in one call, answers in their order, and each gets a mail", async () => {
  const project = await newProject();
  const to = Array.from({ length: 500 }, (_, index) => `r${(index * 7919) % 500}@example.com`);
  const sent = await project.api.send({ to, body: "<p>{{ email }}</p>" });
  expect(new Set(emailIds(sent)).size).toBe(500);
  expect(sent.body.data.emails.map((item: { contact: { email: string } }) => item.contact.email)).toEqual(to);
  expect(await effects(project)).toMatchObject({ contacts: 500, emails: 500, "emails of the month": 500 });
  await vi.waitFor(
    async () => expect((await emailRows(project)).filter(({ status }) => status === "DELIVERED")).toHaveLength(500),
    { timeout: 90_000, interval: 200 },
  );
}, 120_000);
