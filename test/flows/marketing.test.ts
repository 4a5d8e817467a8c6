import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/mail/message";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { newCampaign } from "../support/campaign";
import { confirming } from "../support/confirmation";
import { framed } from "../support/framed";
import type { Death } from "../support/killable";
import { admin, call, newProject, type TestProject } from "../support/project";
import { emailRows, eventCounts } from "../support/rows";
import { emailIds, mailOf } from "../support/send-and-wait";
import { newTemplate } from "../support/template";
import { callWith } from "../support/with-settings";
import { World } from "../support/world";

const origin = "https://petrel.example";

/** Accepts mail with a template in a world under control, and delivers nothing yet. */
async function accept(
  world: World,
  project: TestProject,
  template: string,
  fields: Record<string, unknown> = {},
): Promise<void> {
  const { ctx } = await world.context(project);
  await sendEmails({ ...ctx, origin }, SendEmail.parse({ to: "ada@example.com", template, ...fields }));
}

async function deliver(project: TestProject, template: string, fields: Record<string, unknown> = {}): Promise<Message> {
  const world = new World();
  await accept(world, project, template, fields);
  await world.drain();
  const [message] = world.taken;
  if (!message) throw new Error(`Nothing was sent: ${JSON.stringify(await emailRows(project))}`);
  return message;
}

function linkIn(text: string, page: "unsubscribe" | "subscribe" | "manage"): string {
  const path = new RegExp(`${origin}(/${page}/[A-Za-z0-9_-]{110})`).exec(text)?.[1];
  if (!path) throw new Error(`No ${page} link in ${text}`);
  return path;
}

/** What the manage page says of the subscription. */
function standingIn(page: string): string {
  return /<dt>Marketing email<\/dt><dd>([^<]*)<\/dd>/.exec(page)?.[1] ?? "";
}

async function contactOf(project: TestProject, email = "ada@example.com") {
  return project.db
    .prepare(
      "SELECT id, subscribed, opted_out_at, snoozed_until, version FROM contacts WHERE project_id = ? AND email = ?",
    )
    .bind(project.id, email)
    .first<{
      id: string;
      subscribed: number;
      opted_out_at: number | null;
      snoozed_until: number | null;
      version: number;
    }>();
}

async function optOut(project: TestProject, email: string): Promise<void> {
  await project.db
    .prepare("UPDATE contacts SET opted_out_at = 1 WHERE project_id = ? AND email = ?")
    .bind(project.id, email)
    .run();
}

async function emailsOfTheMonth(project: TestProject): Promise<number | undefined> {
  const used = await project.db
    .prepare("SELECT sum(emails) AS emails FROM monthly_usage WHERE project_id = ?")
    .bind(project.id)
    .first<{ emails: number }>();
  return used?.emails;
}

const form = { headers: { "Content-Type": "application/x-www-form-urlencoded" } };
const oneClick = "List-Unsubscribe=One-Click";

describe("what the type of a template means for its mail", () => {
  it("MARKETING: a footer in both parts, and the headers of a list", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const message = await deliver(project, id);
    const unsubscribe = origin + linkIn(message.html, "unsubscribe");
    expect(message.html).toContain(`<a href="${unsubscribe}"`);
    expect(message.html).toContain(`<a href="${origin}${linkIn(message.html, "manage")}"`);
    expect(message.text).toContain(unsubscribe);
    expect(message.headers).toEqual({
      "List-Unsubscribe": `<${unsubscribe}>`,
      "List-Unsubscribe-Post": oneClick,
      "List-Id": `<${project.id}.${project.domain}>`,
      Precedence: "bulk",
      "Feedback-ID": `${id}:${project.id}:marketing:petrel`,
    });
  });

  it.each([
    [
      "before the end of the body",
      "<html><body><p>Hi</p></body></html>",
      /<p>Hi<\/p><div.*Unsubscribe.*<\/div><\/body><\/html>$/,
    ],
    ["before the end of the page", "<html><p>Hi</p></HTML>\n", /<p>Hi<\/p><div.*<\/div><\/HTML>\n$/],
    ["at the end", "<p>Hi</p>", /<p>Hi<\/p><div.*<\/div><\/div><\/body><\/html>$/],
    ["not in a comment", "<p>Hi</p><!-- </body> -->", /--><div.*<\/div><\/div><\/body><\/html>$/],
  ])("puts the footer %s", async (_, body, expected) => {
    const project = await newProject();
    const { id } = await newTemplate(project, { body });
    expect((await deliver(project, id)).html).toMatch(expected);
  });

  it.each([
    ["unsubscribeUrl", '<p><a class="x" href="{{ unsubscribeUrl }}">Leave</a></p>'],
    ["manageUrl", "<p><A HREF='{{ manageUrl }}'>Settings</A></p>"],
    ["manageUrl without quotes", "<p><a href={{ manageUrl }}>Settings</a></p>"],
    ["unsubscribeUrl with a query", '<p><a href="{{ unsubscribeUrl }}?from=mail">Leave</a></p>'],
  ])("adds no footer to a body that links to %s", async (_, body) => {
    const project = await newProject();
    const { id } = await newTemplate(project, { body });
    const message = await deliver(project, id);
    expect(message.html).not.toContain("You get this email because");
    expect(message.headers["List-Unsubscribe-Post"]).toBe(oneClick);
  });

  it.each([
    ["only names the address", "<p>{{ unsubscribeUrl }}</p>"],
    ["hides the link in a comment", '<p>Hi</p><!-- <a href="{{ unsubscribeUrl }}">x</a> -->'],
    ["has it as an image", '<img src="{{ unsubscribeUrl }}">'],
    ["links to subscribeUrl alone", '<a href="{{ subscribeUrl }}">x</a>'],
    ["links somewhere else of that name", '<a href="https://acme.example/unsubscribe">x</a>'],
  ])("adds the footer to a body that %s", async (_, body) => {
    const project = await newProject();
    const { id } = await newTemplate(project, { body });
    expect((await deliver(project, id)).html).toContain("You get this email because");
  });

  it("HEADLESS: never a footer, and headers only with a link in the body", async () => {
    const project = await newProject();
    const plain = await newTemplate(project, { type: "HEADLESS" });
    const linked = await newTemplate(project, { type: "HEADLESS", body: '<a href="{{ manageUrl }}">x</a>' });
    const without = await deliver(project, plain.id, { to: "a@example.com", data: { firstName: "Ada" } });
    expect([without.html, without.headers]).toEqual([
      framed("<p>Hello Ada</p>"),
      { "Auto-Submitted": "auto-generated" },
    ]);
    const withLink = await deliver(project, linked.id, { to: "b@example.com" });
    expect(withLink.html).toBe(framed(`<a href="${origin}${linkIn(withLink.html, "manage")}">x</a>`));
    expect(Object.keys(withLink.headers)).toEqual([
      "List-Unsubscribe",
      "List-Unsubscribe-Post",
      "List-Id",
      "Precedence",
      "Feedback-ID",
    ]);
  });

  it("TRANSACTIONAL: nothing of it but that a program wrote it, though the links work in its body too", async () => {
    const project = await newProject();
    const body = '<a href="{{ unsubscribeUrl }}">x</a>{{ subscribeUrl }}{{ manageUrl }}';
    const { id } = await newTemplate(project, { type: "TRANSACTIONAL", body });
    const message = await deliver(project, id);
    expect(message.headers).toEqual({ "Auto-Submitted": "auto-generated" });
    expect(message.html).not.toContain("You get this email because");
    for (const page of ["unsubscribe", "subscribe", "manage"] as const) {
      expect((await call("GET", linkIn(message.html, page))).status).toBe(200);
    }
  });

  it("MARKETING: the company and its address in the footer of both parts, and a warning while there is no address", async () => {
    const project = await newProject({ company: "Ship & <Co>" });
    const { id } = await newTemplate(project);
    const rest = { subject: undefined, body: undefined, from: undefined };
    await project.api.post("/contacts", { email: "eve@example.com", subscribed: true });
    const send = (template: string) => project.api.send({ ...rest, to: "eve@example.com", template });
    const warning = { field: "postalAddress", message: expect.stringContaining("PATCH /admin/projects/{id}") };
    expect((await send(id)).body.warnings).toEqual([warning]);
    expect((await send(id)).body.warnings).toEqual([warning]);
    for (const type of ["HEADLESS", "TRANSACTIONAL"])
      expect((await send((await newTemplate(project, { type })).id)).body.warnings).toBeUndefined();
    await admin.patch(`/admin/projects/${project.id}`, { postalAddress: "1 Main St\n10115 Berlin" });
    expect((await send(id)).body.warnings).toBeUndefined();
    const message = await deliver(project, id);
    expect(message.html).toContain("<br><br>Ship &amp; &lt;Co&gt;<br>1 Main St<br>10115 Berlin</div>");
    expect(message.text).toMatch(/\n\nShip & <Co>\n1 Main St\n10115 Berlin$/);
    const own = await newTemplate(project, { body: '<a href="{{ unsubscribeUrl }}">Leave</a>' });
    expect((await deliver(project, own.id, { to: "bob@example.com" })).html).not.toContain("Main St");
    const preview = await project.api.post(`/templates/${id}/preview`, {});
    expect(preview.body.html).toContain("1 Main St<br>10115 Berlin");
  });

  it("MARKETING: a warning while there is an address and no company, of /v1/send and of a campaign", async () => {
    const project = await newProject({ postalAddress: "1 Main St" });
    await project.api.post("/contacts", { email: "eve@example.com" });
    const rest = { subject: undefined, body: undefined, from: undefined, to: "eve@example.com" };
    const send = async (type: string) =>
      project.api.send({ ...rest, template: (await newTemplate(project, { type })).id });
    const sendCampaign = async (type: string) => {
      const { id } = await newCampaign(project, { type });
      return project.api.post(`/campaigns/${id}/send`, {});
    };
    const warning = { field: "company", message: expect.stringContaining("PATCH /admin/projects/{id}") };
    for (const sent of [await send("MARKETING"), await sendCampaign("MARKETING")])
      expect([sent.status, sent.body.warnings]).toEqual([200, [warning]]);
    for (const sent of [await send("TRANSACTIONAL"), await sendCampaign("HEADLESS")])
      expect([sent.status, sent.body.warnings]).toEqual([200, undefined]);
    await admin.patch(`/admin/projects/${project.id}`, { company: "Acme" });
    for (const sent of [await send("MARKETING"), await sendCampaign("MARKETING")])
      expect([sent.status, sent.body.warnings]).toEqual([200, undefined]);
  });

  it("lets a caller's own List-Unsubscribe replace ours, whole", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const headers = { "list-unsubscribe": "<mailto:leave@acme.example>", "X-Order": "1" };
    const message = await deliver(project, id, { headers });
    expect(message.headers).toEqual({
      ...headers,
      "List-Id": `<${project.id}.${project.domain}>`,
      Precedence: "bulk",
      "Feedback-ID": `${id}:${project.id}:marketing:petrel`,
    });
    expect(message.html).toContain("You get this email because");
  });

  it("arrives in the mail as it was written", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const rest = { subject: undefined, body: undefined, from: undefined };
    const [email = ""] = emailIds(await project.api.send({ ...rest, template: id }));
    const mail = await mailOf(project, email);
    const value = Object.fromEntries(mail.headers)["List-Unsubscribe"];
    expect(value).toBe(`<${origin}${linkIn(mail.html, "unsubscribe")}>`);
    expect(mail.raw).toMatch(
      /^List-Unsubscribe:\s+<https:[^\s>]+>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m,
    );
  });
});

describe("a marketing mail never leaves without its links", () => {
  it("when there is no secret to sign them with", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const world = new World();
    world.settings = { LINK_SECRETS: "" };
    await accept(world, project, id);
    await world.drain();
    expect(world.taken).toEqual([]);
    const [row] = await emailRows(project);
    expect(row).toMatchObject({ status: "FAILED", error: expect.stringContaining("LINK_SECRETS"), attempts: 0 });
  });

  it("when the secret is too short to be one", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const message = await deliver(project, id);
    const path = linkIn(message.html, "unsubscribe");
    for (const LINK_SECRETS of ["", "short", "s".repeat(31), `${"s".repeat(31)},${"t".repeat(31)}`]) {
      expect((await callWith({ LINK_SECRETS }, "GET", path)).status).toBe(404);
    }
    const LINK_SECRETS = `${"n".repeat(32)}, ${env.LINK_SECRETS}`;
    expect((await callWith({ LINK_SECRETS }, "GET", path)).status).toBe(200);
  });
});

describe("PUBLIC_URL", () => {
  it.each(["https://mail.acme.test", "https://mail.acme.test/"])("is where the links lead: %s", async (PUBLIC_URL) => {
    const project = await newProject();
    const { id } = await newTemplate(project, { type: "TRANSACTIONAL", body: "{{ unsubscribeUrl }}" });
    const options = { token: project.keys.secret, body: { to: "ada@example.com", template: id } };
    const [email = ""] = emailIds(await callWith({ PUBLIC_URL }, "POST", "/v1/send", options));
    expect((await mailOf(project, email)).html).toMatch(/>https:\/\/mail\.acme\.test\/unsubscribe\/[\w-]{110}</);
  });
});

describe("without PUBLIC_URL", () => {
  const production = { ENVIRONMENT: "production", OUTBOX_HOSTS: "mail.acme.test" };
  const development = { OUTBOX_HOSTS: "mail.acme.test" };

  it.each([
    ["in production, a host that nobody configured", production, "secret", "evil.example", 503],
    ["in production, a configured host", production, "secret", "mail.acme.test", 200],
    ["in production, the address that the platform gave", production, "secret", "petrel.acme.workers.dev", 200],
    ["in development, whatever a server calls", development, "secret", "petrel.lan", 200],
    ["in development, a host that a visitor chose", development, "public", "evil.example", 503],
    ["in development, this machine", development, "public", "localhost", 200],
    ["in development, a configured host", development, "public", "mail.acme.test", 200],
  ] as const)("%s", async (_, settings, kind, host, status) => {
    const { project } = await confirming();
    const from = `hello@${project.domain}`;
    const [path, body] =
      kind === "public"
        ? ["/v1/track", { email: "ada@example.com", event: "signed_up", confirm: true }]
        : ["/v1/send", { to: "ada@example.com", from, subject: "Hi", body: "Hi" }];
    const answer = await callWith(settings, "POST", path, { token: project.keys[kind], body, host });
    expect([answer.status, await contentsOf(project)]).toEqual([status, status === 200 ? [`https://${host}`] : []]);
    if (status !== 503) return;
    expect(answer.body.error).toMatchObject({
      code: "EXTERNAL_SERVICE_ERROR",
      suggestion: expect.stringContaining("PUBLIC_URL"),
    });
    expect(answer.headers.get("Retry-After")).toBe("60");
  });

  it("a visitor's event that mails nothing is taken at any host", async () => {
    const project = await newProject();
    const body = { email: "ada@example.com", event: "page_view" };
    const options = { token: project.keys.public, body, host: "evil.example" };
    expect((await callWith({}, "POST", "/v1/track", options)).status).toBe(200);
  });

  async function contentsOf(project: TestProject): Promise<string[]> {
    const { results } = await project.db
      .prepare("SELECT link_base FROM email_contents WHERE project_id = ?")
      .bind(project.number)
      .all<{ link_base: string }>();
    return results.map(({ link_base }) => link_base);
  }
});

describe("the pages of a recipient", () => {
  async function subscriber(): Promise<{ project: TestProject; message: Message; template: string }> {
    const project = await newProject({ fromName: "Acme & <b>Sons</b>" });
    await project.api.post("/contacts", { email: "ada@example.com" });
    const { id: template } = await newTemplate(project);
    return { project, template, message: await deliver(project, template) };
  }

  it("change nothing by GET and HEAD, however often", async () => {
    const { project, message } = await subscriber();
    const before = await contactOf(project);
    for (const page of ["unsubscribe", "manage"] as const) {
      for (const method of ["GET", "HEAD", "GET"]) {
        expect((await call(method, linkIn(message.html, page))).status).toBe(200);
      }
    }
    expect(await contactOf(project)).toEqual(before);
    expect(await eventCounts(project)).toEqual({ "email.sent": 1 });
  });

  it("are closed to search engines, caches, other pages and scripts, and escape what they show", async () => {
    const { message } = await subscriber();
    const { headers, body } = await call("GET", linkIn(message.html, "unsubscribe"));
    expect(headers.get("Content-Security-Policy")).toMatch(
      /^default-src 'none';.*form-action 'self'.*frame-ancestors 'none'/,
    );
    expect(headers.get("Content-Security-Policy")).not.toMatch(/unsafe|script-src/);
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("X-Robots-Tag")).toContain("noindex");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(body).toContain("Acme &amp; &lt;b&gt;Sons&lt;/b&gt;");
    expect(body).toContain("ada@example.com");
    expect(body).not.toMatch(/<script|<b>Sons/);
  });

  it("unsubscribe by the button: one event, opted out, and no marketing after it", async () => {
    const { project, message, template } = await subscriber();
    const path = linkIn(message.html, "unsubscribe");
    for (let press = 0; press < 3; press++) {
      const answer = await call("POST", path, "", form);
      expect([answer.status, answer.body.includes("You are unsubscribed")]).toEqual([200, true]);
    }
    expect((await call("GET", path)).body).toContain("You are unsubscribed");
    expect(await contactOf(project)).toMatchObject({ subscribed: 0, opted_out_at: expect.any(Number), version: 2 });
    expect(await eventCounts(project)).toEqual({ "email.sent": 1, "contact.unsubscribed": 1 });
    const event = await project.db
      .prepare("SELECT data FROM events WHERE project_id = ? AND name = 'contact.unsubscribed'")
      .bind(project.id)
      .first<{ data: string }>();
    expect(JSON.parse(event?.data ?? "")).toEqual({ reason: "unsubscribe_page" });
    const world = new World();
    await accept(world, project, template);
    await world.pass(2);
    expect(world.taken.filter(({ projectId }) => projectId === project.id)).toEqual([]);
    expect((await emailRows(project)).map(({ status }) => status)).toEqual(["SENT", "SUPPRESSED"]);
  });

  it.each([
    ["urlencoded", oneClick, "application/x-www-form-urlencoded"],
    [
      "multipart",
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
      "multipart/form-data; boundary=b",
    ],
  ])("unsubscribe in one click of the mailbox (%s), with no page", async (_, body, type) => {
    const { project, message } = await subscriber();
    const answer = await call("POST", linkIn(message.html, "unsubscribe"), body, { headers: { "Content-Type": type } });
    expect([answer.status, answer.body]).toEqual([200, ""]);
    expect(await contactOf(project)).toMatchObject({ subscribed: 0, opted_out_at: expect.any(Number) });
    expect((await eventCounts(project))["contact.unsubscribed"]).toBe(1);
  });

  it("hold for one who was never subscribed: no flip and so no event, and no more marketing", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const message = await deliver(project, id);
    expect(await contactOf(project)).toMatchObject({ subscribed: 0, opted_out_at: null });
    await call("POST", linkIn(message.html, "unsubscribe"), oneClick, form);
    expect(await contactOf(project)).toMatchObject({ subscribed: 0, opted_out_at: expect.any(Number) });
    expect(await eventCounts(project)).toEqual({ "email.sent": 1 });
    const rest = { subject: undefined, body: undefined, from: undefined };
    const again = await project.api.send({ ...rest, template: id });
    expect(again.body.data.emails[0].status).toBe("SUPPRESSED");
  });

  it("subscribe again, once", async () => {
    const { project, message, template } = await subscriber();
    await call("POST", linkIn(message.html, "unsubscribe"), oneClick, form);
    const { html } = await deliver(
      project,
      (await newTemplate(project, { type: "TRANSACTIONAL", body: "{{ subscribeUrl }}" })).id,
    );
    const path = linkIn(html, "subscribe");
    expect((await call("GET", path)).body).toContain("Subscribe?");
    expect(await contactOf(project)).toMatchObject({ subscribed: 0 });
    for (let press = 0; press < 2; press++) expect((await call("POST", path, "", form)).status).toBe(200);
    expect(await contactOf(project)).toMatchObject({ subscribed: 1, opted_out_at: null });
    expect((await eventCounts(project))["contact.subscribed"]).toBe(1);
    expect((await deliver(project, template)).to.email).toBe("ada@example.com");
  });

  it("end a snooze", async () => {
    const { project, message } = await subscriber();
    await project.db
      .prepare("UPDATE contacts SET subscribed = 0, snoozed_until = ?, opted_out_at = 1 WHERE project_id = ?")
      .bind(Date.now() + 86_400_000, project.id)
      .run();
    expect((await call("GET", linkIn(message.html, "unsubscribe"))).body).toContain("Unsubscribe?");
    await call("POST", linkIn(message.html, "unsubscribe"), "", form);
    expect(await contactOf(project)).toMatchObject({ subscribed: 0, snoozed_until: null });
    // It was not subscribed while it was snoozed: nothing flipped.
    expect((await eventCounts(project))["contact.unsubscribed"]).toBeUndefined();
  });

  it("manage: pause, resume, leave for good and come back, each pressed twice, in a disabled project too", async () => {
    const { project, message } = await subscriber();
    const path = linkIn(message.html, "manage");
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    const press = async (body: string) => {
      const answers = await Promise.all([call("POST", path, body, form), call("POST", path, body, form)]);
      for (const { status, body: html } of answers) {
        expect([status, html.includes("Your choice is saved.")]).toEqual([200, true]);
      }
      // A page that is only read says the same of how it stands.
      const page = (await call("GET", path)).body;
      expect([page.includes("saved"), standingIn(page)]).toEqual([false, standingIn(answers[1]?.body)]);
      return { ...(await contactOf(project)), standing: standingIn(page) };
    };
    expect(standingIn((await call("GET", path)).body)).toBe("Subscribed");
    for (const [duration, days] of Object.entries({ "6m": 181, "3m": 89, "1m": 28, "14d": 14 })) {
      const { standing, snoozed_until: until, ...contact } = await press(`action=snooze&duration=${duration}`);
      expect(contact).toMatchObject({ subscribed: 0, opted_out_at: expect.any(Number) });
      expect(((until ?? 0) - Date.now()) / 86_400_000).toBeGreaterThan(days - 0.1);
      expect(standing).toMatch(/^Paused until [1-9]\d? [A-Z][a-z]+ 20\d\d$/);
    }
    await project.db
      .prepare("UPDATE contacts SET snoozed_until = ? WHERE project_id = ?")
      .bind(Date.UTC(2031, 0, 5, 23, 59), project.id)
      .run();
    expect(standingIn((await call("GET", path)).body)).toBe("Paused until 5 January 2031");
    const subscribed = { subscribed: 1, opted_out_at: null, snoozed_until: null, standing: "Subscribed" };
    const gone = {
      subscribed: 0,
      opted_out_at: expect.any(Number),
      snoozed_until: null,
      standing: "Unsubscribed",
    };
    expect(await press("action=unsnooze")).toMatchObject(subscribed);
    await press("action=snooze&duration=14d");
    expect(await press("action=unsubscribe")).toMatchObject(gone);
    expect(await press("action=subscribe")).toMatchObject(subscribed);
    expect(await press("action=unsubscribe")).toMatchObject(gone);
    const { results } = await project.db
      .prepare(
        "SELECT name, data ->> 'reason' AS reason FROM events WHERE project_id = ? AND name GLOB 'contact.*' ORDER BY id",
      )
      .bind(project.id)
      .all();
    // None for leaving during a pause: they were not subscribed then.
    expect(results.map(({ name, reason }) => [name, reason])).toEqual([
      ["contact.unsubscribed", "snooze"],
      ["contact.subscribed", "snooze"],
      ["contact.unsubscribed", "snooze"],
      ["contact.subscribed", null],
      ["contact.unsubscribed", "unsubscribe_page"],
    ]);
  });

  it("manage: a post that says nothing clear changes nothing, and says what to do", async () => {
    const { project, message } = await subscriber();
    const path = linkIn(message.html, "manage");
    const unclear = ["", "{}", "action=delete", "duration=14d", `action=unsubscribe&x=${"x".repeat(9_000)}`];
    for (const duration of ["", "&duration=", "&duration=2w", "&duration=1y", "&duration=14d&duration=x"]) {
      unclear.push(`action=snooze${duration}`);
    }
    const before = await contactOf(project);
    for (const body of unclear) {
      const answer = await call("POST", path, body, form);
      expect([answer.status, standingIn(answer.body)], body).toEqual([422, "Subscribed"]);
      expect(answer.body).toContain("Please press one of the buttons below");
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
    }
    expect(await contactOf(project)).toEqual(before);
    expect(await eventCounts(project)).toEqual({ "email.sent": 1 });
  });

  it("manage: an old page never subscribes who left since, and nobody who is suppressed", async () => {
    const { project, message } = await subscriber();
    const path = linkIn(message.html, "manage");
    const refused = async (body: string, standing: string) => {
      const answer = await call("POST", path, body, form);
      expect([answer.status, standingIn(answer.body)]).toEqual([409, standing]);
      expect(answer.body).toContain("no marketing email is sent to this address");
      expect(await contactOf(project)).toMatchObject({ snoozed_until: null });
    };
    await project.api.post("/contacts", { email: "ada@example.com", subscribed: false });
    await refused("action=snooze&duration=14d", "Unsubscribed");
    await refused("action=unsnooze", "Unsubscribed");
    await project.api.post("/contacts", { email: "ada@example.com", subscribed: true });
    await project.api.post("/suppressions", { email: "ada@example.com" });
    await refused("action=snooze&duration=14d", "Subscribed");
    expect(await eventCounts(project)).toMatchObject({ "contact.subscribed": 1, "contact.unsubscribed": 1 });
  });

  it("work when the project is disabled", async () => {
    const { project, message } = await subscriber();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expect((await call("POST", linkIn(message.html, "unsubscribe"), oneClick, form)).status).toBe(200);
    expect(await contactOf(project)).toMatchObject({ subscribed: 0 });
  });

  it("are a friendly 404 for a bad link, one for something else, and one whose contact or project is gone", async () => {
    const { project, message } = await subscriber();
    const token = linkIn(message.html, "unsubscribe").slice("/unsubscribe/".length);
    const bad = [`/unsubscribe/${token.slice(0, -1)}`, `/subscribe/${token}`, `/manage/${token}`, "/unsubscribe/x"];
    for (const path of bad) {
      for (const method of ["GET", "POST"]) {
        const answer = await call(method, path, method === "POST" ? oneClick : undefined, form);
        expect([answer.status, answer.body.includes("This link does not work")]).toEqual([404, true]);
      }
    }
    expect(await contactOf(project)).toMatchObject({ subscribed: 1 });
    await project.db.prepare("DELETE FROM contacts WHERE project_id = ?").bind(project.id).run();
    expect((await call("GET", `/unsubscribe/${token}`)).status).toBe(404);
    await admin.delete(`/admin/projects/${project.id}`);
    expect((await call("POST", `/unsubscribe/${token}`, oneClick, form)).status).toBe(404);
  });

  it("take no other method", async () => {
    const { project, message } = await subscriber();
    const put = await call("PUT", linkIn(message.html, "unsubscribe"), "{}");
    expect([put.status, put.headers.get("Allow")]).toEqual([405, expect.stringContaining("POST")]);
    expect(await contactOf(project)).toMatchObject({ subscribed: 1 });
  });

  it("count a post whatever its form holds, read or not", async () => {
    const { project, message } = await subscriber();
    const path = linkIn(message.html, "unsubscribe");
    expect((await call("POST", path, `a=${"x".repeat(9_000)}`, form)).status).toBe(200);
    expect(await contactOf(project)).toMatchObject({ subscribed: 0 });
  });

  it.each([{ "List-Unsubscribe": "" }, { "List-Unsubscribe": "  " }, { "List-Unsubscribe-Post": "no" }])(
    "are named by our own headers when the caller's say nothing: %j",
    async (headers) => {
      const project = await newProject();
      const { id } = await newTemplate(project, { type: "MARKETING" });
      const message = await deliver(project, id, { headers });
      expect(message.headers["List-Unsubscribe"]).toContain(linkIn(message.html, "unsubscribe"));
      expect(message.headers["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
    },
  );

  it.each([
    ["<p>Hi</p><!-- oops", "-->"],
    ["<p>Hi</p><style>p{color:red}", "</style>"],
    ["<p>Hi</p><textarea>", "</textarea>"],
    ['<title><a href="{{unsubscribeUrl}}">x</a></title><p>Hi</p>', "</p>"],
  ])("are linked where a reader sees it: %s", async (body, before) => {
    const project = await newProject();
    const { id } = await newTemplate(project, { type: "MARKETING", body });
    const { html } = await deliver(project, id);
    expect(html.slice(0, html.lastIndexOf("<div style=")).endsWith(before)).toBe(true);
    expect(html.slice(html.lastIndexOf("<div style="))).toContain("/unsubscribe/");
  });
});

describe("between the call and the mail", () => {
  it("a change of the template changes nothing", async () => {
    const project = await newProject();
    const large = `<p>Old</p>${"<p>long</p>".repeat(10_000)}`;
    for (const body of ["<p>Old</p>", large]) {
      const { id } = await newTemplate(project, { subject: "Old", body, fromName: "Old", type: "TRANSACTIONAL" });
      const world = new World();
      await accept(world, project, id);
      const change = { subject: "New", body: "<p>New</p>", fromName: "New", type: "MARKETING" };
      expect((await project.api.patch(`/templates/${id}`, change)).status).toBe(200);
      expect((await project.api.delete(`/templates/${id}`)).status).toBe(204);
      await world.drain();
      const [message] = world.taken;
      expect(message).toMatchObject({
        subject: "Old",
        headers: { "Auto-Submitted": "auto-generated" },
        from: { name: "Old" },
      });
      expect(message?.html === framed(body)).toBe(true);
    }
  });

  it("who opts out gets no marketing any more, and still the rest", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "ada@example.com" });
    const marketing = await newTemplate(project);
    const receipt = await newTemplate(project, { type: "TRANSACTIONAL", subject: "Receipt" });
    const world = new World();
    await accept(world, project, marketing.id);
    await accept(world, project, receipt.id);
    await project.api.post("/contacts", { email: "ada@example.com", subscribed: false });
    await world.drain();
    expect(world.taken.map(({ subject }) => subject)).toEqual(["Receipt"]);
    const [held] = await emailRows(project);
    expect(held).toMatchObject({ status: "SUPPRESSED", error: "The contact has unsubscribed from marketing email" });
    expect(await emailsOfTheMonth(project)).toBe(1);
  });

  it("who opts out between two tries gets no second one", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const world = new World();
    world.answer = () => ({ kind: "busy", reason: "429" });
    await accept(world, project, id);
    await world.drain();
    await project.api.post("/contacts", { email: "ada@example.com", subscribed: true });
    await project.api.post("/contacts", { email: "ada@example.com", subscribed: false });
    world.answer = () => ({ kind: "accepted", providerMessageId: "m", reports: [] });
    await world.pass(30);
    expect(world.taken).toEqual([]);
    expect((await emailRows(project))[0]?.status).toBe("SUPPRESSED");
  });

  it("who opts out while the mail of others is handed over gets none, and the place in the month is given back", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const world = new World();
    // A round is 25 mails: the last three are in the next.
    const to = Array.from({ length: 28 }, (_, index) => `r${index + 10}@example.com`);
    await accept(world, project, id, { to });
    world.answer = async () => {
      await optOut(project, "r36@example.com");
      await project.api.post("/suppressions", { email: "r37@example.com" });
      return { kind: "accepted", providerMessageId: "m", reports: [] };
    };
    await world.drain();
    expect(world.taken.map((message) => message.to.email)).toEqual(to.slice(0, 26));
    const reasons = (await emailRows(project))
      .slice(26)
      .map(({ status, error, attempts }) => [status, error, attempts]);
    expect(reasons).toEqual([
      ["SUPPRESSED", "The contact has unsubscribed from marketing email", 0],
      ["SUPPRESSED", "The address is on the suppression list", 0],
    ]);
    expect(await emailsOfTheMonth(project)).toBe(26);
    expect(await eventCounts(project)).toEqual({ "email.sent": 26 });
  });

  it("who opts out before a mail that may be out is tried again gets it no second time, and it stays UNKNOWN", async () => {
    const project = await newProject();
    const { id } = await newTemplate(project);
    const world = new World();
    world.idempotencyWindowMs = 24 * 3_600_000;
    world.answer = () => {
      throw new Error("The network is gone");
    };
    await accept(world, project, id);
    await world.drain();
    await optOut(project, "ada@example.com");
    world.answer = () => ({ kind: "accepted", providerMessageId: "m", reports: [] });
    await world.pass(10);
    expect(world.taken).toEqual([]);
    expect((await emailRows(project))[0]).toMatchObject({
      status: "UNKNOWN",
      error: "The contact has unsubscribed from marketing email",
      attempts: 1,
    });
  });
});

describe("a consumer of marketing mail killed at any step", () => {
  const deaths: Death[] = [1, 2, 3, 4, 5, 6].flatMap((atStep) => [
    { atStep, when: "before" },
    { atStep, when: "after" },
  ]);

  it.each(deaths.map((death) => [`${death.when} step ${death.atStep}`, death] as const))(
    "%s: each mail is the same on every try, and complete; who opted out gets none",
    async (_, death) => {
      const project = await newProject();
      const { id } = await newTemplate(project);
      const world = new World();
      world.idempotencyWindowMs = 24 * 3_600_000;
      await accept(world, project, id, { to: ["ada@example.com", "bob@example.com", "cyd@example.com"] });
      await optOut(project, "cyd@example.com");
      await world.runAndDie(death);
      await project.api.patch(`/templates/${id}`, { subject: "Changed", body: "<p>Changed</p>" });
      await world.pass(4);
      await world.pass(8, 4);
      expect((await emailRows(project)).map(({ status }) => status)).toEqual(["SENT", "SENT", "SUPPRESSED"]);
      expect(await emailsOfTheMonth(project)).toBe(2);
      const first = new Map(world.taken.map((message) => [message.emailId, message]));
      for (const message of world.taken) {
        expect(message).toEqual(first.get(message.emailId));
        expect(message.headers["List-Unsubscribe"]).toBe(`<${origin}${linkIn(message.html, "unsubscribe")}>`);
      }
    },
  );
});
