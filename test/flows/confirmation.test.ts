import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { confirm } from "../../src/features/preferences/confirm/confirm";
import { findRecipient } from "../../src/features/preferences/recipient";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { ask, askPublicly, confirming, confirmPath } from "../support/confirmation";
import { forged } from "../support/forged";
import { framed } from "../support/framed";
import { type Death, wasKilled } from "../support/killable";
import { admin, bearer, call, newProject, type TestProject } from "../support/project";
import { emailRows, eventCounts } from "../support/rows";
import { newTemplate } from "../support/template";
import { World } from "../support/world";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const form = { headers: { "Content-Type": "application/x-www-form-urlencoded" } };
const press = (path: string) => call("POST", path, "", form);

async function contactOf(project: TestProject, email = "ada@example.com") {
  return (await project.api.get(`/contacts?email=${email}`)).body.data[0];
}

/** A mailed request, and the page of its link. */
async function mailed(data: Record<string, unknown> = {}, now = Date.now()) {
  const { project, template } = await confirming();
  const world = new World();
  world.now = now;
  await askPublicly(world, project, { data });
  await world.drain();
  const [message] = world.taken;
  if (!message) throw new Error("Nothing was sent");
  return { project, template, world, message, path: confirmPath(message) };
}

async function claimsOf(project: TestProject): Promise<number | undefined> {
  const found = await project.db
    .prepare("SELECT count(*) AS n FROM confirmations WHERE project_id = ?")
    .bind(project.id)
    .first<{ n: number }>();
  return found?.n;
}

async function events(project: TestProject): Promise<[string, Record<string, unknown>][]> {
  const { results } = await project.db
    .prepare("SELECT name, data FROM events WHERE project_id = ? AND name GLOB 'contact.*' ORDER BY id")
    .bind(project.id)
    .all<{ name: string; data: string }>();
  return results.map(({ name, data }) => [name, JSON.parse(data)]);
}

describe("the mail", () => {
  it("goes to a new contact, who stays unsubscribed: TRANSACTIONAL, with a link of its own", async () => {
    const { project, message } = await mailed({ firstName: "Ada" });
    expect(message).toMatchObject({ type: "TRANSACTIONAL", subject: "Please confirm", headers: {} });
    expect(message.html).toBe(framed(`<p>Hi Ada, <a href="https://petrel.example${confirmPath(message)}">yes</a></p>`));
    expect(message.text).toBe(`Hi Ada, yes (https://petrel.example${confirmPath(message)})`);
    expect(await contactOf(project)).toMatchObject({ subscribed: false, optedOutAt: null, confirmedAt: null });
    expect(await eventCounts(project)).toEqual({ signed_up: 1, "email.sent": 1 });
    const { body } = await project.api.get("/emails");
    expect(body.data[0]).toMatchObject({ type: "TRANSACTIONAL", source: "TRANSACTIONAL", status: "SENT" });
  });

  it("has no link of a stranger's, whom a public key has made up, and prints what a server says as it is", async () => {
    const { project, template } = await confirming();
    await project.api.patch(`/templates/${template}`, { subject: "Please confirm, {{ firstName }}" });
    const world = new World();
    const data = { firstName: "win at https://evil.example" };
    await askPublicly(world, project, { data });
    await world.drain();
    const [theirs] = world.taken;
    expect(theirs?.subject).toBe("Please confirm, win at https[:]//evil[.]example");
    for (const part of [theirs?.html, theirs?.text]) expect(part).not.toMatch(/https:\/\/evil/);
    await ask(world, project, { email: "bob@example.com", data });
    await world.drain();
    expect(world.taken[1]?.subject).toBe("Please confirm, win at https://evil.example");
  });

  it("alone knows confirmUrl", async () => {
    const { project, template } = await confirming();
    const world = new World();
    const { ctx } = await world.context(project);
    await sendEmails(
      { ...ctx, origin: "https://petrel.example" },
      SendEmail.parse({ to: "ada@example.com", template }),
    );
    await world.drain();
    expect(world.taken[0]?.html).toContain('<a href="">yes</a>');
    const { body } = await project.api.get("/contacts?email=ada@example.com");
    const preview = await project.api.post(`/templates/${template}/preview`, { contactId: body.data[0].id });
    expect([preview.body.missing, preview.body.html]).toEqual([
      ["firstName"],
      expect.stringContaining("/confirm/preview"),
    ]);
  });

  it("fails, and says why, where no link can be signed", async () => {
    const { project } = await confirming();
    const world = new World();
    world.settings = { LINK_SECRETS: "" };
    await ask(world, project);
    await world.drain();
    expect(world.taken).toEqual([]);
    expect(await emailRows(project)).toMatchObject([
      { status: "FAILED", error: expect.stringContaining("LINK_SECRETS") },
    ]);
  });

  it("goes out while marketing email is paused", async () => {
    const { project } = await confirming();
    await env.DB.prepare("UPDATE projects SET sending_paused_reason = 'bounces', sending_paused_at = 1 WHERE id = ?")
      .bind(project.id)
      .run();
    const world = new World();
    expect((await ask(world, project)).confirmation).toBe("sent");
    await world.drain();
    expect(world.taken).toHaveLength(1);
  });
});

describe("the button", () => {
  it("subscribes, with evidence; GET never does", async () => {
    const { project, path } = await mailed();
    for (const method of ["GET", "HEAD", "GET"]) expect((await call(method, path)).status).toBe(200);
    expect((await call("GET", path)).body).toContain("Confirm your subscription?");
    const before = await contactOf(project);
    expect(before).toMatchObject({ subscribed: false, confirmedAt: null, source: "PUBLIC" });
    const answer = await press(path);
    expect([answer.status, answer.body.includes("Your subscription is confirmed")]).toEqual([200, true]);
    const after = await contactOf(project);
    expect(after).toMatchObject({
      subscribed: true,
      optedOutAt: null,
      confirmedAt: expect.any(String),
      source: "TRACK",
    });
    const page = "https://petrel.example/confirm";
    expect(await events(project)).toEqual([
      ["contact.confirmed", { page, confirmedAt: after.confirmedAt }],
      ["contact.subscribed", {}],
    ]);
    const exported = await project.api.get(`/contacts/${after.id}/export`);
    expect(exported.body.confirmations).toEqual([
      { email: "ada@example.com", requestedAt: expect.any(String), confirmedAt: after.confirmedAt, page },
    ]);
  });

  it("confirms once, however often and at once it is pressed", async () => {
    const { project, path } = await mailed();
    const answers = await Promise.all(Array.from({ length: 8 }, () => press(path)));
    answers.push(await press(path), await call("GET", path));
    for (const { status, body } of answers) {
      expect([status, body.includes("Your subscription is confirmed")]).toEqual([200, true]);
    }
    expect(await eventCounts(project)).toMatchObject({ "contact.confirmed": 1, "contact.subscribed": 1 });
  });

  it("brings nobody back who left or paused after it was pressed", async () => {
    const { project, path } = await mailed();
    await press(path);
    const { id } = await contactOf(project);
    await project.api.patch(`/contacts/${id}`, { subscribed: false });
    for (const answer of [await call("GET", path), await press(path)]) {
      expect([answer.status, answer.body.includes("You are unsubscribed")]).toEqual([200, true]);
    }
    expect(await contactOf(project)).toMatchObject({ subscribed: false });
    await project.api.patch(`/contacts/${id}`, { subscribed: true });
    await project.api.post(`/contacts/${id}/snooze`, { duration: "14d" });
    expect((await press(path)).body).toContain("Marketing email is paused");
    expect((await eventCounts(project))["contact.confirmed"]).toBe(1);
  });

  it("lifts an opt-out that the person made, even when a public key asked", async () => {
    const { project, path, world } = await mailed();
    await press(path);
    const { body } = await call("GET", path);
    const manage = /\/manage\/[\w-]{110}/.exec(body)?.[0] ?? "";
    await call("POST", manage, "action=unsubscribe", form);
    world.now += 2 * hourMs;
    expect((await askPublicly(world, project)).confirmation).toBe("sent");
    expect(await contactOf(project)).toMatchObject({ subscribed: false });
    await world.drain();
    const again = world.taken[1];
    if (!again) throw new Error("Nothing was sent");
    expect((await press(confirmPath(again))).body).toContain("Your subscription is confirmed");
    expect(await contactOf(project)).toMatchObject({ subscribed: true, optedOutAt: null });
    expect((await eventCounts(project))["contact.confirmed"]).toBe(2);
  });

  it("of one who was subscribed meanwhile still is evidence, and no flip", async () => {
    const { project, path } = await mailed();
    await project.api.post("/contacts", { email: "ada@example.com", subscribed: true });
    await press(path);
    expect(await eventCounts(project)).toMatchObject({ "contact.confirmed": 1, "contact.subscribed": 1 });
    expect(await contactOf(project)).toMatchObject({
      subscribed: true,
      confirmedAt: expect.any(String),
      source: "API",
    });
  });

  it("works in a disabled project", async () => {
    const { project, path } = await mailed();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expect((await press(path)).status).toBe(200);
    expect(await contactOf(project)).toMatchObject({ subscribed: true });
  });

  it("speaks the person's language", async () => {
    const { path } = await mailed({ locale: "de-AT" });
    expect((await call("GET", path)).body).toContain("Möchten Sie Ihre Anmeldung bestätigen?");
    expect((await press(path)).body).toContain("Ihre Anmeldung ist bestätigt");
  });
});

describe("a link that confirms nothing says so", () => {
  async function refused(path: string, status: number, text: string) {
    for (const answer of [await call("GET", path), await press(path)]) {
      expect([answer.status, answer.body.includes(text)], answer.body).toEqual([status, true]);
      expect(answer.body).not.toContain("<button");
    }
  }

  it("after seven days", async () => {
    const old = await mailed({ locale: "nl" }, Date.now() - 7 * dayMs - 1_000);
    await refused(old.path, 410, "Deze link is verlopen");
    expect(await contactOf(old.project)).toMatchObject({ subscribed: false, confirmedAt: null });
    const young = await mailed({}, Date.now() - 7 * dayMs + 60_000);
    expect((await press(young.path)).status).toBe(200);
  });

  it("after a change of the address, and without the new one", async () => {
    const { project, path } = await mailed();
    const { id } = await contactOf(project);
    await project.api.patch(`/contacts/${id}`, { email: "new@example.com" });
    await refused(path, 410, "This link is no longer valid");
    expect((await call("GET", path)).body).not.toContain("new@example.com");
    expect(await contactOf(project, "new@example.com")).toMatchObject({ subscribed: false, confirmedAt: null });
    expect((await eventCounts(project))["contact.confirmed"]).toBeUndefined();
  });

  it("for a suppressed address", async () => {
    const { project, path } = await mailed();
    await project.api.post("/suppressions", { email: "ada@example.com" });
    await refused(path, 409, "This address cannot be confirmed");
    expect(await contactOf(project)).toMatchObject({ subscribed: false, confirmedAt: null });
  });

  it("for another purpose, a changed token, and a contact that is gone", async () => {
    const { project, path } = await mailed();
    const token = path.slice("/confirm/".length);
    const { body } = await call("GET", `/manage/${token}`);
    expect(body).toContain("This link does not work");
    await refused(`/confirm/${forged(token)}`, 404, "This link does not work");
    await project.api.delete(`/contacts/${(await contactOf(project)).id}`);
    await refused(path, 404, "You are no longer in this list");
    const left = await claimsOf(project);
    expect(left).toBe(0);
  });

  it("forgets what was confirmed when the address changes", async () => {
    const { project, path } = await mailed();
    await press(path);
    const { id, email } = await contactOf(project);
    expect((await project.api.patch(`/contacts/${id}`, { email })).body.confirmedAt).not.toBeNull();
    expect((await project.api.patch(`/contacts/${id}`, { email: "b@example.com" })).body.confirmedAt).toBeNull();
  });
});

describe("who asks for it", () => {
  it("gets no second mail: one an hour and three a day for each contact", async () => {
    const { project } = await confirming();
    const world = new World();
    const start = world.now;
    const answers: [number, string | undefined][] = [];
    for (const minutes of [0, 1, 59, 60, 119, 120, 180, 600, 1_439, 1_440, 1_441, 1_500]) {
      world.now = start + minutes * 60_000;
      const asked = minutes % 2 === 0 ? ask : askPublicly;
      answers.push([minutes, (await asked(world, project)).confirmation]);
    }
    expect(answers.filter(([, answer]) => answer === "sent").map(([minutes]) => minutes)).toEqual([
      0, 60, 120, 1_440, 1_500,
    ]);
    expect(new Set(answers.map(([, answer]) => answer))).toEqual(new Set(["sent", "throttled"]));
    await world.drain();
    expect(world.taken).toHaveLength(5);
  });

  it("gets one when sixteen ask at once", async () => {
    const { project } = await confirming();
    const asking = (n: number) =>
      n % 2 === 0
        ? project.api.post("/contacts", { email: "ada@example.com", confirm: true })
        : call(
            "POST",
            "/v1/track",
            { email: "ada@example.com", event: "x", confirm: true },
            bearer(project.keys.public),
          );
    const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => asking(n)));
    const said = answers.map(({ body }) => body._meta?.confirmation ?? body.data.confirmation);
    expect(said.toSorted()).toEqual(["sent", ...Array(15).fill("throttled")]);
    expect(await emailRows(project)).toHaveLength(1);
    expect((await eventCounts(project)).x).toBe(8);
  });

  it("gets none when subscribed: the subscription stays", async () => {
    const { project } = await confirming();
    await project.api.post("/contacts", { email: "ada@example.com" });
    const world = new World();
    expect((await ask(world, project)).confirmation).toBe("already");
    expect((await askPublicly(world, project)).confirmation).toBe("already");
    expect(await contactOf(project)).toMatchObject({ subscribed: true });
    expect(await emailRows(project)).toEqual([]);
  });

  it("counts in the month, and is throttled when it is used up: the event and the contact are written", async () => {
    const { project } = await confirming({ monthlySendLimit: 1 });
    const world = new World();
    expect((await ask(world, project)).confirmation).toBe("sent");
    expect(await ask(world, project, { email: "bob@example.com" })).toEqual({
      confirmation: "throttled",
      warnings: [{ field: "confirm", message: expect.stringContaining("monthly limit") }],
    });
    expect(await askPublicly(world, project, { email: "cyd@example.com" })).toEqual({
      confirmation: "throttled",
      warnings: [],
    });
    expect((await eventCounts(project)).signed_up).toBe(1);
    expect(await contactOf(project, "cyd@example.com")).toMatchObject({ subscribed: false });
    // The claim was not made: the next month begins afresh.
    await admin.patch(`/admin/projects/${project.id}`, { monthlySendLimit: 2 });
    expect((await askPublicly(world, project, { email: "cyd@example.com" })).confirmation).toBe("sent");
  });
});

describe("somebody with a public key", () => {
  it("causes no more than the project's mails of an hour, whoever they go to, and holds up no server", async () => {
    const { project } = await confirming();
    const world = new World();
    world.settings = { PUBLIC_CONFIRMATIONS_PER_HOUR: "3" };
    world.now = Math.floor(world.now / hourMs) * hourMs;
    const asking = (name: string) => askPublicly(world, project, { email: `${name}@example.com` });
    const first = await Promise.all(Array.from({ length: 16 }, (_, n) => asking(`a${n}`)));
    expect(first.filter(({ confirmation }) => confirmation === "sent")).toHaveLength(3);
    expect((await ask(world, project, { email: "server@example.com" })).confirmation).toBe("sent");
    world.now += hourMs - 1;
    expect((await asking("b")).confirmation).toBe("throttled");
    world.now += 1;
    expect((await asking("b")).confirmation).toBe("sent");
    expect(await emailRows(project)).toHaveLength(5);
    expect((await eventCounts(project)).signed_up).toBe(18);
  });

  it("gets a hundred by default, and none with 0", async () => {
    const { project } = await confirming();
    await project.api.post("/contacts", { email: "ada@example.com", subscribed: false });
    const world = new World();
    const hour = Math.floor(world.now / hourMs);
    const used = (n: number) =>
      project.db
        .prepare("UPDATE project_counts SET confirmation_hour = ?, confirmations = ? WHERE project_id = ?")
        .bind(hour, n, project.id)
        .run();
    await used(100);
    expect((await askPublicly(world, project)).confirmation).toBe("throttled");
    await used(99);
    expect((await askPublicly(world, project)).confirmation).toBe("sent");
    world.settings = { PUBLIC_CONFIRMATIONS_PER_HOUR: "0" };
    expect((await askPublicly(world, project, { email: "b@example.com" })).confirmation).toBe("throttled");
  });

  it("is not told which addresses get none, and a server is", async () => {
    const { project } = await confirming();
    await project.api.post("/contacts", { email: "left@example.com" });
    const { id } = await contactOf(project, "left@example.com");
    await project.api.patch(`/contacts/${id}`, { subscribed: false });
    await project.api.delete(`/contacts/${id}`);
    await project.api.post("/suppressions", { email: "bounced@example.com" });
    await project.db
      .prepare("INSERT INTO suppressions (project_id, email, reason, created_at) VALUES (?, ?, 'complaint', 1)")
      .bind(project.id, "complained@example.com")
      .run();
    const world = new World();
    for (const name of ["left", "bounced", "complained"]) {
      const email = `${name}@example.com`;
      const warnings = [
        { field: "confirm", message: expect.stringContaining("No confirmation mail was sent: this address") },
      ];
      expect(await ask(world, project, { email }), name).toEqual({ confirmation: "throttled", warnings });
    }
    const usual = ["sent", "throttled"];
    for (const name of ["left", "bounced", "complained", "somebody"]) {
      const email = `${name}@example.com`;
      const said = [await askPublicly(world, project, { email }), await askPublicly(world, project, { email })];
      expect(
        said.map(({ confirmation }) => confirmation),
        name,
      ).toEqual(usual);
      expect(said.flatMap(({ warnings }) => warnings)).toEqual([]);
    }
    await world.drain();
    expect(world.taken.map(({ to }) => to.email)).toEqual(["somebody@example.com"]);
    expect((await emailRows(project)).map(({ to_email }) => to_email)).toEqual(["somebody@example.com"]);
  });

  it("reaches no erased address either that a contact moved to", async () => {
    const { project } = await confirming();
    const { id } = (await project.api.post("/contacts", { email: "moves@example.com" })).body;
    const { id: left } = (await project.api.post("/contacts", { email: "left@example.com" })).body;
    await project.api.patch(`/contacts/${left}`, { subscribed: false });
    await project.api.delete(`/contacts/${left}`);
    expect((await project.api.patch(`/contacts/${id}`, { email: "left@example.com" })).status).toBe(200);
    const world = new World();
    expect((await askPublicly(world, project, { email: "left@example.com" })).confirmation).toBe("sent");
    await world.drain();
    expect(world.taken).toEqual([]);
    expect(await emailRows(project)).toEqual([]);
  });

  it("repeats a call with its idempotency key, and causes no second mail", async () => {
    const { project } = await confirming();
    const tracking = { email: "ada@example.com", event: "signed_up", confirm: true };
    const headers = { ...bearer(project.keys.public).headers, "Idempotency-Key": "k1" };
    const first = await call("POST", "/v1/track", tracking, { headers });
    expect([first.status, first.body.data.confirmation]).toEqual([200, "sent"]);
    const second = await call("POST", "/v1/track", tracking, { headers });
    expect([second.status, second.body.error.details.originalResponse.data]).toEqual([409, first.body.data]);
    expect(await emailRows(project)).toHaveLength(1);
  });
});

describe("a call killed at any step", () => {
  const deaths: Death[] = [1, 2, 3].flatMap((atStep) => [
    { atStep, when: "before" },
    { atStep, when: "after" },
  ]);

  it.each(deaths)("$when step $atStep: all of it or nothing, and the mail is sent once", async (death) => {
    const { project } = await confirming();
    const world = new World();
    await askPublicly(world, project, {}, death).catch((error) => {
      if (!wasKilled(error)) throw error;
    });
    const written = (await emailRows(project)).length;
    const { signed_up: tracked = 0 } = await eventCounts(project);
    const claimed = await claimsOf(project);
    expect([tracked, claimed]).toEqual([written, written]);
    const again = await askPublicly(world, project);
    expect(again.confirmation).toBe(written === 1 ? "throttled" : "sent");
    await world.drain();
    await world.pass(5);
    expect(world.taken).toHaveLength(1);
  });
});

describe("a press of the button killed at any step", () => {
  const deaths: Death[] = [1, 2, 3, 4, 5].flatMap((atStep) => [
    { atStep, when: "before" },
    { atStep, when: "after" },
  ]);

  it.each(deaths)("$when step $atStep: all of it or nothing, and the next press ends it", async (death) => {
    const { project, world, path } = await mailed();
    const { platform } = world.process(death);
    const pressed = async () => {
      const found = await findRecipient(platform, "confirm", path.slice("/confirm/".length));
      if (found?.contact) await confirm(found);
    };
    await pressed().catch((error) => {
      if (!wasKilled(error)) throw error;
    });
    const { subscribed, confirmedAt } = await contactOf(project);
    const { "contact.confirmed": confirmed = 0, "contact.subscribed": flips = 0 } = await eventCounts(project);
    const all = subscribed ? 1 : 0;
    expect([confirmed, flips, confirmedAt === null ? 0 : 1]).toEqual([all, all, all]);
    expect((await press(path)).body).toContain("Your subscription is confirmed");
    expect(await contactOf(project)).toMatchObject({ subscribed: true });
    expect(await eventCounts(project)).toMatchObject({ "contact.confirmed": 1, "contact.subscribed": 1 });
  });
});

describe("confirm: true", () => {
  it("is refused without a template, and nothing is written", async () => {
    const project = await newProject();
    const track = (path: string, key: string) =>
      call("POST", path, { email: "ada@example.com", event: "x", confirm: true }, bearer(key));
    const answers = [
      await project.api.post("/contacts", { email: "ada@example.com", confirm: true }),
      await track("/v1/track", project.keys.public),
      await track("/events/track", project.keys.secret),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error.code]).toEqual([409, "CONFLICT"]);
      expect(body.message).toContain("confirmationTemplateId");
    }
    expect((await project.api.get("/contacts")).body.total).toBe(0);
    expect(await eventCounts(project)).toEqual({});
  });

  it("is refused when the sender's domain is not verified any more, and nothing is written", async () => {
    const { project } = await confirming();
    await project.db.prepare("UPDATE domains SET status = 'PENDING' WHERE project_id = ?").bind(project.id).run();
    const answer = await project.api.post("/contacts", { email: "ada@example.com", confirm: true });
    expect([answer.status, answer.body.error.code]).toEqual([403, "INTERNAL_SERVER_ERROR"]);
    expect((await project.api.get("/contacts")).body.total).toBe(0);
  });

  it("is refused when the template is gone after all", async () => {
    const { project } = await confirming();
    await project.db.prepare("DELETE FROM templates WHERE project_id = ?").bind(project.id).run();
    const answer = await project.api.post("/contacts", { email: "ada@example.com", confirm: true });
    expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining("no longer exists")]);
    expect((await project.api.get("/contacts")).body.total).toBe(0);
  });

  it.each([["yes"], [1], [null], [{}]])("is a boolean, not %j", async (confirm) => {
    const { project } = await confirming();
    for (const answer of [
      await project.api.post("/contacts", { email: "ada@example.com", confirm }),
      await project.api.post("/events/track", { email: "ada@example.com", event: "x", confirm }),
    ]) {
      expect([answer.status, answer.body.error.errors[0].field]).toEqual([422, "confirm"]);
    }
    expect((await project.api.get("/contacts")).body.total).toBe(0);
  });

  it("goes before subscribed: true, and says so; false beside it unsubscribes first", async () => {
    const { project } = await confirming();
    const fresh = await project.api.post("/contacts", { email: "ada@example.com", confirm: true, subscribed: true });
    expect(fresh.body).toMatchObject({
      subscribed: false,
      _meta: { isNew: true, isUpdate: false, confirmation: "sent" },
      warnings: [{ field: "subscribed", message: expect.stringContaining("confirm: true") }],
    });
    await project.api.post("/contacts", { email: "bob@example.com" });
    const left = await project.api.post("/contacts", { email: "bob@example.com", confirm: true, subscribed: false });
    expect(left.body).toMatchObject({ subscribed: false, _meta: { confirmation: "sent" } });
    expect(await events(project)).toEqual([["contact.unsubscribed", {}]]);
  });

  it("false is as without it", async () => {
    const project = await newProject();
    const { status, body } = await project.api.post("/contacts", { email: "ada@example.com", confirm: false });
    expect([status, body.subscribed, body._meta]).toEqual([201, true, { isNew: true, isUpdate: false }]);
  });

  it("writes data, and nobody may track the event of the button", async () => {
    const { project } = await confirming();
    const { body } = await project.api.post("/contacts", {
      email: "ada@example.com",
      confirm: true,
      data: { plan: "pro" },
    });
    expect(body.data).toEqual({ plan: "pro" });
    const forged = await project.api.post("/events/track", { email: "ada@example.com", event: "contact.confirmed" });
    expect([forged.status, forged.body.error.errors[0].code]).toEqual([422, "reserved_event"]);
  });
});

describe("the project's confirmationTemplateId", () => {
  it("is null, a template of the project, and null again; that template is not deleted meanwhile", async () => {
    const project = await newProject();
    const other = await newTemplate(await newProject());
    const path = `/admin/projects/${project.id}`;
    expect((await admin.get(path)).body.confirmationTemplateId).toBeNull();
    for (const id of [other.id, "01990000-0000-7000-8000-000000000000", "nope", ""]) {
      const answer = await admin.patch(path, { confirmationTemplateId: id, name: "Other" });
      expect([answer.status, answer.body.error.code]).toEqual([404, "TEMPLATE_NOT_FOUND"]);
    }
    expect((await admin.patch(path, { confirmationTemplateId: 1 })).status).toBe(422);
    const { id } = await newTemplate(project);
    const set = await admin.patch(path, { confirmationTemplateId: id });
    expect(set.body).toMatchObject({ confirmationTemplateId: id, name: "Test" });
    expect((await admin.get(path)).body.confirmationTemplateId).toBe(id);
    const refused = await project.api.delete(`/templates/${id}`);
    expect([refused.status, refused.body.error.details]).toEqual([409, { setting: "confirmationTemplateId" }]);
    expect((await admin.patch(path, { confirmationTemplateId: null })).body.confirmationTemplateId).toBeNull();
    expect((await project.api.delete(`/templates/${id}`)).status).toBe(204);
  });
});
