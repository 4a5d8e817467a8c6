import { describe, expect, it } from "vitest";
import { readId } from "../../src/core/ids";
import { deleteContact } from "../../src/features/contacts/delete";
import { handleMessage } from "../../src/queue";
import { allFiles, sendAs, tracesOf } from "../support/person";
import { newProject, type TestProject } from "../support/project";
import { World } from "../support/world";

let people = 0;

async function sendAndDrain(world: World, project: TestProject, mark: string, mailbox: string, more = "") {
  const to = `${mailbox}+${mark}@simulator.test`;
  const call = { to, from: `hi@${project.domain}`, subject: mark, body: `${mark} ${more}` };
  const [emailId = ""] = await sendAs(world, project, call);
  await world.drain();
  return emailId;
}

/** Mail of the embedded outbox to somebody whose mark is nowhere else. */
async function scene(mailbox: string) {
  const [world, project] = [new World(), await newProject()];
  world.settings = { MAIL_PROVIDER: "outbox" };
  const mark = `trace${++people}x${project.id.slice(-6)}`;
  const emailId = await sendAndDrain(world, project, mark, mailbox);
  return { world, project, mark, emailId };
}

async function erase(world: World, project: TestProject): Promise<void> {
  const row = await project.db.prepare("SELECT id FROM contacts WHERE project_id = ?").bind(project.id).first("id");
  await deleteContact((await world.context(project)).ctx, readId(String(row)));
  await world.drain();
}

describe("an erased person leaves nothing in the outbox", () => {
  it.each(["ada", "throttle", "reject", "timeout"])(
    "of mail to %s@, accepted or not, small or large",
    async (mailbox) => {
      const { world, project, mark } = await scene(mailbox);
      expect((await tracesOf([mark])).filter((place) => place.startsWith("outbox"))).toHaveLength(1);
      await sendAndDrain(world, project, mark, mailbox, "x".repeat(20_000));
      expect((await tracesOf([mark])).filter((place) => place.startsWith("outbox"))).toHaveLength(3);
      await erase(world, project);
      expect(await tracesOf([mark])).toEqual([]);
      expect((await allFiles()).filter(({ key }) => key.includes(project.id))).toEqual([]);
    },
  );

  it("of mail that it took twice, once unknown to the record", async () => {
    const { world, project, mark, emailId } = await scene("ada");
    await project.db
      .prepare("UPDATE emails SET status = 'QUEUED', next_attempt_at = 1, provider_message_id = NULL WHERE id = ?")
      .bind(emailId)
      .run();
    const message = {
      type: "mail.deliver" as const,
      projectId: project.number,
      priority: 0 as const,
      emailIds: [readId(emailId)],
    };
    await handleMessage(world.process().platform, message, world.listeners);
    await world.drain();
    expect((await tracesOf([mark])).filter((place) => place.startsWith("outbox"))).toHaveLength(2);
    await erase(world, project);
    expect(await tracesOf([mark])).toEqual([]);
  });
});
