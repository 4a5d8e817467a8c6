import { describe, expect, it } from "vitest";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { admin, call, newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { newTemplate } from "../support/template";
import { accepts, World } from "../support/world";

const origin = "https://petrel.example";
const form = { headers: { "Content-Type": "application/x-www-form-urlencoded" } };

/** A subscriber with these data, and what a marketing mail to them says. */
async function mailed(data: Record<string, unknown> = {}, settings: Record<string, unknown> = {}) {
  const project = await newProject({ fromName: "Acme", ...settings });
  await project.api.post("/contacts", { email: "ada@example.com", data });
  const { id } = await newTemplate(project);
  const world = new World();
  const { ctx } = await world.context(project);
  await sendEmails({ ...ctx, origin }, SendEmail.parse({ to: "ada@example.com", template: id }));
  await world.drain();
  const [message] = world.taken;
  if (!message) throw new Error("Nothing was sent");
  const path = (page: string) => new RegExp(`/${page}/[\\w-]{110}`).exec(message.html)?.[0] ?? "";
  return { project, template: id, message, unsubscribe: path("unsubscribe"), manage: path("manage") };
}

async function contactOf(project: TestProject) {
  return (await project.api.get("/contacts?email=ada@example.com")).body.data[0];
}

const languageOf = (html: string) => /<html lang="([^"]+)">/.exec(html)?.[1];

describe("the language of a recipient", () => {
  it.each([
    ["the contact's", { locale: "de-AT" }, { locale: "fr" }, "nl", "de"],
    ["the project's, where we lack the contact's", { locale: "sv" }, { locale: "fr-CA" }, "nl", "fr"],
    ["the project's, where the contact has none", {}, { locale: "pt-BR" }, "nl", "pt"],
    ["the browser's, where we lack both", { locale: "sv" }, { locale: "da" }, "sv, nl;q=0.5", "nl"],
    ["English, where we lack all", { locale: "sv" }, { locale: "da" }, "fi", "en"],
    ["the browser's, where neither is set", {}, {}, "nl", "nl"],
    ["English, where the project says so", {}, { locale: "en" }, "nl", "en"],
    ["English, where nobody says anything", {}, {}, "", "en"],
  ])("is %s", async (_, data, settings, accepted, expected) => {
    const { unsubscribe, manage } = await mailed(data, settings);
    for (const path of [unsubscribe, manage]) {
      const { status, body } = await call("GET", path, undefined, { headers: { "Accept-Language": accepted } });
      expect([status, languageOf(body)]).toEqual([200, expected]);
    }
  });

  it("is that of the browser when the link is bad, and of the project when the contact was erased", async () => {
    const headers = { "Accept-Language": "it" };
    const bad = await call("GET", "/unsubscribe/x", undefined, { headers });
    expect([bad.status, languageOf(bad.body)]).toEqual([404, "it"]);
    expect(bad.body).toContain("Questo link non funziona");
    const { project, unsubscribe, manage } = await mailed({ locale: "nl" }, { locale: "es" });
    await project.api.delete(`/contacts/${(await contactOf(project)).id}`);
    for (const [method, path] of [
      ["GET", unsubscribe],
      ["POST", unsubscribe],
      ["GET", manage],
    ] as const) {
      const gone = await call(method, path, undefined, { headers });
      expect([gone.status, languageOf(gone.body)]).toEqual([404, "es"]);
      expect(gone.body).toContain("Ya no está en esta lista");
      expect(gone.body).toContain("Acme");
    }
  });

  it("is that of the footer and of the line in the text", async () => {
    const { message, unsubscribe } = await mailed({ locale: "fr" }, { locale: "de" });
    expect(message.html).toContain(`<a href="${origin}${unsubscribe}" style="color:inherit">Se désabonner</a> ou <a`);
    expect(message.text).toContain("Vous recevez cet e-mail");
    const german = await mailed({ locale: "xx" }, { locale: "de-CH" });
    expect(german.message.text).toContain("Sie erhalten diese E-Mail");
    const english = await mailed();
    expect(english.message.html).toContain("You get this email because you are on our list.");
  });

  it("stays the same in a mail that is tried again after the contact's changed", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com", data: { locale: "nl" } });
    const { id } = await newTemplate(project, { body: "<p>Hi</p>" });
    const world = new World();
    const { ctx } = await world.context(project);
    await sendEmails({ ...ctx, origin }, SendEmail.parse({ to: "ada@example.com", template: id }));
    let calls = 0;
    world.answer = () => (++calls === 1 ? { kind: "busy", reason: "busy" } : accepts());
    await world.drain();
    await project.api.post("/contacts", { email: "ada@example.com", data: { locale: "de" } });
    await world.pass(5);
    expect(calls).toBe(2);
    expect(new Set(world.taken.map(({ text }) => text)).size).toBe(1);
    expect(world.taken[0]?.text).toContain("U ontvangt deze e-mail");
  });
});

describe("a pause on the page for unsubscribing", () => {
  const buttons = (html: string) => [...html.matchAll(/name="duration" value="(\w+)"/g)].map(([, value]) => value);

  it("is offered before anything takes place, and chosen by one button", async () => {
    const { project, unsubscribe } = await mailed();
    const asked = await call("GET", unsubscribe);
    expect(buttons(asked.body)).toEqual(["14d", "1m", "3m", "6m"]);
    expect(await contactOf(project)).toMatchObject({ subscribed: true, snoozedUntil: null });
    for (const [duration, days] of Object.entries({ "14d": 14, "1m": 28, "3m": 89, "6m": 181 })) {
      const answer = await call("POST", unsubscribe, `action=snooze&duration=${duration}`, form);
      expect([answer.status, answer.body.includes("Marketing email is paused")]).toEqual([200, true]);
      const { subscribed, snoozedUntil } = await contactOf(project);
      expect(subscribed).toBe(false);
      expect((Date.parse(snoozedUntil) - Date.now()) / 86_400_000).toBeGreaterThan(days - 0.1);
    }
    expect(await eventCounts(project)).toEqual({ "email.sent": 1, "contact.unsubscribed": 1 });
  });

  it("can still be left for good: the page says until when it lasts", async () => {
    const { project, unsubscribe } = await mailed();
    await call("POST", unsubscribe, "action=snooze&duration=14d", form);
    const asked = await call("GET", unsubscribe);
    expect(asked.body).toMatch(/Marketing email is paused until \d+ \w+ 20\d\d\. If you unsubscribe/);
    expect(buttons(asked.body)).toEqual([]);
    expect((await call("POST", unsubscribe, "", form)).body).toContain("You are unsubscribed");
    expect(await contactOf(project)).toMatchObject({ subscribed: false, snoozedUntil: null });
    // An old page, still open: it brings nobody back.
    const late = await call("POST", unsubscribe, "action=snooze&duration=14d", form);
    expect([late.status, late.body.includes("You are unsubscribed")]).toEqual([409, true]);
    expect(await contactOf(project)).toMatchObject({ subscribed: false, snoozedUntil: null });
  });

  it("is not offered to somebody who was never subscribed, and does nothing to them", async () => {
    const { project, unsubscribe } = await mailed();
    await project.db
      .prepare("UPDATE contacts SET subscribed = 0, opted_out_at = NULL WHERE project_id = ?")
      .bind(project.id)
      .run();
    await project.db.prepare("UPDATE project_counts SET subscribed = 0 WHERE project_id = ?").bind(project.id).run();
    const asked = await call("GET", unsubscribe);
    expect([asked.body.includes("Unsubscribe?"), buttons(asked.body)]).toEqual([true, []]);
    expect((await call("POST", unsubscribe, "action=snooze&duration=14d", form)).status).toBe(409);
    expect(await contactOf(project)).toMatchObject({ subscribed: false, snoozedUntil: null });
  });

  it("that names no length changes nothing and asks again", async () => {
    const { project, unsubscribe } = await mailed({ locale: "nl" });
    for (const body of ["action=snooze", "action=snooze&duration=", "action=snooze&duration=1y"]) {
      const answer = await call("POST", unsubscribe, body, form);
      expect([answer.status, answer.body.includes("Er is niets gewijzigd")]).toEqual([422, true]);
    }
    expect(await contactOf(project)).toMatchObject({ subscribed: true });
  });

  it("of an address on the suppression list is refused; the mailbox's one click still counts", async () => {
    const { project, unsubscribe } = await mailed();
    await project.api.post("/suppressions", { email: "ada@example.com" });
    const answer = await call("POST", unsubscribe, "action=snooze&duration=1m", form);
    expect([answer.status, answer.body.includes("That is not possible")]).toEqual([409, true]);
    const oneClick = "List-Unsubscribe=One-Click&action=snooze&duration=1m";
    expect(await call("POST", unsubscribe, oneClick, form)).toMatchObject({ status: 200, body: "" });
    expect(await contactOf(project)).toMatchObject({ subscribed: false, snoozedUntil: null });
  });

  it("works in a disabled project", async () => {
    const { project, unsubscribe } = await mailed();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expect((await call("POST", unsubscribe, "action=snooze&duration=1m", form)).status).toBe(200);
    expect(await contactOf(project)).toMatchObject({ subscribed: false, snoozedUntil: expect.any(String) });
  });
});
