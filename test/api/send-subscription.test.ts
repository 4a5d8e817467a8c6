import { describe, expect, it } from "vitest";
import { newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { contactOf } from "../support/send-and-wait";

const yesterday = Date.now() - 86_400_000;

describe("POST /v1/send and a contact's subscription", () => {
  it.each([
    [undefined, false],
    [null, false],
    [false, false],
    [true, true],
  ])("creates a contact with subscribed: %s as %s, and emits nothing", async (subscribed, expected) => {
    const project = await newProject();
    const contact = await contactOf(project, await project.api.send({ subscribed }));
    expect(contact).toMatchObject({ subscribed: expected, snoozedUntil: null });
    expect(await flips(project)).toEqual({ subscribed: 0, unsubscribed: 0 });
  });

  it.each([true, false])("keeps an existing contact's %s when it is left out", async (subscribed) => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com", subscribed });
    expect((await contactOf(project, await project.api.send())).subscribed).toBe(subscribed);
    expect((await contactOf(project, await project.api.send({ subscribed: null }))).subscribed).toBe(subscribed);
    expect(await flips(project)).toEqual({ subscribed: 0, unsubscribed: 0 });
  });

  it("emits contact.subscribed exactly once for a flip to true", async () => {
    const project = await newProject();
    await project.api.send();
    for (const _ of [1, 2, 3]) await project.api.send({ subscribed: true });
    expect((await contactOf(project, await project.api.send())).subscribed).toBe(true);
    expect(await flips(project)).toEqual({ subscribed: 1, unsubscribed: 0 });
  });

  it("emits contact.unsubscribed exactly once for a flip to false", async () => {
    const project = await newProject();
    await project.api.send({ subscribed: true });
    for (const _ of [1, 2, 3]) await project.api.send({ subscribed: false });
    expect((await contactOf(project, await project.api.send())).subscribed).toBe(false);
    expect(await flips(project)).toEqual({ subscribed: 0, unsubscribed: 1 });
  });

  it("emits one event for each flip there and back", async () => {
    const project = await newProject();
    for (const subscribed of [false, true, false, true]) await project.api.send({ subscribed });
    expect(await flips(project)).toEqual({ subscribed: 2, unsubscribed: 1 });
  });

  it("emits one event for a contact that is named twice, and none for those who were there already", async () => {
    const project = await newProject();
    await project.api.send({ to: ["ada@example.com", "bob@example.com"] });
    await project.api.post("/contacts", { email: "cyd@example.com", subscribed: true });
    const to = ["ada@example.com", "ADA@example.com", "bob@example.com", "cyd@example.com", "new@example.com"];
    await project.api.send({ to, subscribed: true });
    expect(await flips(project)).toEqual({ subscribed: 2, unsubscribed: 0 });
  });

  it("names the contact in the event", async () => {
    const project = await newProject();
    const { id } = await contactOf(project, await project.api.send());
    await project.api.send({ subscribed: true });
    const { results } = await project.db
      .prepare("SELECT contact_id, email_id, data FROM events WHERE project_id = ? AND name = 'contact.subscribed'")
      .bind(project.id)
      .all();
    expect(results).toEqual([{ contact_id: id, email_id: null, data: "{}" }]);
  });

  it("ends a snooze with any write of subscribed, and emits only for a flip", async () => {
    const project = await newProject();
    const { id } = await contactOf(project, await project.api.send({ subscribed: true }));
    await snooze(project, id);
    expect((await contactOf(project, await project.api.send())).snoozedUntil).not.toBeNull();
    expect(await contactOf(project, await project.api.send({ subscribed: false }))).toMatchObject({
      subscribed: false,
      snoozedUntil: null,
    });
    expect(await flips(project)).toEqual({ subscribed: 0, unsubscribed: 0 });
    await snooze(project, id);
    expect(await contactOf(project, await project.api.send({ subscribed: true }))).toMatchObject({
      subscribed: true,
      snoozedUntil: null,
    });
    expect(await flips(project)).toEqual({ subscribed: 1, unsubscribed: 0 });
  });
});

describe("opted out", () => {
  it("is nobody by the default of a send", async () => {
    const project = await newProject();
    await project.api.send();
    expect(await optedOut(project)).toBe(false);
  });

  it("is who was created with an explicit subscribed: false", async () => {
    const project = await newProject();
    await project.api.send({ subscribed: false });
    expect(await optedOut(project)).toBe(true);
  });

  it("is who was subscribed and left, until they come back", async () => {
    const project = await newProject();
    await project.api.send({ subscribed: true });
    expect(await optedOut(project)).toBe(false);
    await project.api.send({ subscribed: false });
    expect(await optedOut(project)).toBe(true);
    await project.api.send();
    expect(await optedOut(project)).toBe(true);
    await project.api.send({ subscribed: true });
    expect(await optedOut(project)).toBe(false);
  });
});

async function flips(project: TestProject): Promise<{ subscribed: number; unsubscribed: number }> {
  const counts = await eventCounts(project);
  return { subscribed: counts["contact.subscribed"] ?? 0, unsubscribed: counts["contact.unsubscribed"] ?? 0 };
}

/** As a snooze leaves a contact, but without its event: only those of the sends are counted. */
async function snooze(project: TestProject, contactId: string): Promise<void> {
  await project.db
    .prepare("UPDATE contacts SET subscribed = 0, opted_out_at = ?, snoozed_until = ? WHERE id = ?")
    .bind(yesterday, Date.now() + 86_400_000, contactId)
    .run();
}

async function optedOut(project: TestProject): Promise<boolean> {
  const row = await project.db
    .prepare("SELECT opted_out_at AS at FROM contacts WHERE project_id = ?")
    .bind(project.id)
    .first<{ at: number | null }>();
  return row?.at !== null;
}
