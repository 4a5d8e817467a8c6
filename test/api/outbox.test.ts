import { env } from "cloudflare:workers";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { timeAgo } from "../../src/features/outbox/page";
import type { Env } from "../../src/platform/env";
import { framed } from "../support/framed";
import { bearer, call, newProject, type TestProject } from "../support/project";
import { expectRefusal, isoTime, uuid } from "../support/refusal";
import { emailIds, emailIn, mailOf, sendAndOpen, sendAndWait } from "../support/send-and-wait";
import { callWith } from "../support/with-settings";

/** An address that no other test writes to: the outbox is one for all projects. */
const someone = (project: TestProject) => `someone.${project.id}@example.com`;

const list = (query: string) => call("GET", `/outbox/messages?${query}`);

describe("GET /outbox/messages", () => {
  it("shows a mail as its recipient opens it", async () => {
    const project = await newProject();
    const to = someone(project);
    const email = await sendAndWait(project, {
      to: { name: "Someone", email: to },
      from: { name: "Acme", email: `hello@${project.domain}` },
      reply: "support@example.com",
      subject: "Hello",
      body: "<h1>Hello</h1><p>World</p>",
      headers: { "X-Order-Id": "1042" },
    });
    const { status, body } = await list(`to=${to}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          id: expect.stringMatching(uuid),
          emailId: email.id,
          projectId: project.id,
          to: `Someone <${to}>`,
          from: `Acme <hello@${project.domain}>`,
          replyTo: "support@example.com",
          subject: "Hello",
          headers: expect.arrayContaining([
            ["X-Order-Id", "1042"],
            ["Subject", "Hello"],
            ["Message-ID", `<${email.id}@${project.domain}>`],
          ]),
          html: framed("<h1>Hello</h1><p>World</p>"),
          text: expect.stringMatching(/hello\s+world/i),
          attachments: [],
          createdAt: expect.stringMatching(isoTime),
        },
      ],
    });
  });

  it("lists the newest first, and no more than asked for", async () => {
    const project = await newProject();
    const to = someone(project);
    for (const subject of ["one", "two", "three"]) await sendAndWait(project, { to, subject });
    const subjects = async (query: string) =>
      (await list(`to=${to}${query}`)).body.data.map((mail: { subject: string }) => mail.subject);
    expect(await subjects("")).toEqual(["three", "two", "one"]);
    expect(await subjects("&limit=2")).toEqual(["three", "two"]);
    expect(await subjects("&limit=100000")).toEqual(["three", "two", "one"]);
    expect((await list("limit=1")).body.data).toHaveLength(1);
  });

  it("finds mail by the address of one recipient, in any case", async () => {
    const project = await newProject();
    const to = someone(project);
    const sent = await project.api.send({ to: [to, `other.${to}`] });
    await Promise.all(emailIds(sent).map((id) => emailIn(project, id, "DELIVERED")));
    expect((await list(`to=${to.toUpperCase()}`)).body.data).toHaveLength(1);
    expect((await list(`to=${encodeURIComponent(` ${to} `)}`)).body.data).toHaveLength(1);
    expect((await list("to=nobody@example.com")).body).toEqual({ data: [] });
    expect((await list("to=nonsense")).body).toEqual({ data: [] });
  });

  it.each(["0", "-1", "1.5", "abc"])("refuses limit=%s", async (limit) => {
    const answer = await list(`limit=${limit}`);
    expectRefusal(answer, 422, "VALIDATION_ERROR", { errors: [expect.objectContaining({ field: "limit" })] });
  });
});

describe("GET /outbox/messages/{id}", () => {
  it("is the same mail with its MIME source", async () => {
    const project = await newProject();
    const to = someone(project);
    await sendAndWait(project, { to });
    const [listed] = (await list(`to=${to}`)).body.data;
    const { status, body } = await call("GET", `/outbox/messages/${listed.id}`);
    expect(status).toBe(200);
    const { raw, ...mail } = body;
    expect(mail).toEqual(listed);
    expect(raw).toContain(`To: ${to}\r\n`);
    expect(raw).toContain("MIME-Version: 1.0\r\n");
  });

  it.each(["01990000-0000-7000-8000-000000000000", "nope"])("says 404 to a mail that is not there: %s", async (id) => {
    expectRefusal(await call("GET", `/outbox/messages/${id}`), 404, "RESOURCE_NOT_FOUND", {
      details: { resource: "message", id },
    });
  });
});

describe("DELETE /outbox/messages", () => {
  it("forgets every mail and its file, and leaves the records of the emails", async () => {
    const project = await newProject();
    const email = await sendAndWait(project, {});
    const { id } = await mailOf(project, email.id);
    expect((await call("DELETE", "/outbox/messages")).status).toBe(204);
    expect((await call("GET", `/outbox/messages/${id}`)).status).toBe(404);
    expect((await list("")).body).toEqual({ data: [] });
    expect((await env.BLOBS.list({ prefix: "outbox/" })).objects).toEqual([]);
    expect((await project.api.get(`/emails/${email.id}`)).body.status).toBe("DELIVERED");
    expect((await call("DELETE", "/outbox/messages")).status).toBe(204);
  });
});

describe("text of the world", () => {
  const texts: [what: string, text: string][] = [
    ["accents", "Žofie Müller-Ångström"],
    ["Japanese", "紙のメールの件名"],
    ["emoji of several parts", "👩‍👩‍👧 hello 🇳🇱"],
    ["right to left", "שלום עולם"],
    ["a comma and quotes", 'O\'Neil, "Ada" Jr.'],
    ["a long one", "Ünïcödé ".repeat(25).trim()],
    ["angle brackets and an @", "a <b@c> d"],
  ];

  it.each(texts)("comes through in a subject: %s", async (_, subject) => {
    const mail = await sendAndOpen(await newProject(), { subject });
    expect(mail.subject).toBe(subject);
    expect((await PostalMime.parse(mail.raw)).subject).toBe(subject);
  });

  it.each(texts)("comes through in the names of sender and recipient: %s", async (_, name) => {
    const project = await newProject();
    const fields = { to: { name, email: "ada@example.com" }, from: { name, email: `hello@${project.domain}` } };
    const parsed = await PostalMime.parse((await sendAndOpen(project, fields)).raw);
    expect(parsed.to).toEqual([{ name, address: "ada@example.com" }]);
    expect(parsed.from).toEqual({ name, address: `hello@${project.domain}` });
  });

  it("comes through in HTML and in the text part, and the source is plain ASCII in short lines", async () => {
    const words = texts.map(([, text]) => text).filter((text) => !/[<>"'=]/.test(text));
    const mail = await sendAndOpen(await newProject(), { body: words.map((word) => `<p>${word}</p>`).join("") });
    const parsed = await PostalMime.parse(mail.raw);
    for (const word of words) {
      expect(parsed.html).toContain(word);
      expect(parsed.text).toContain(word);
    }
    const lines: string[] = mail.raw.split("\r\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(/^[\x20-\x7e\t\r\n]*$/.test(mail.raw)).toBe(true);
  });

  it("keeps lines within what SMTP can carry, whatever the body is", async () => {
    const body = `<p>${"b".repeat(50_000)}</p>`;
    const mail = await sendAndOpen(await newProject(), { body });
    expect(mail.html === framed(body)).toBe(true);
    expect(Math.max(...mail.raw.split("\r\n").map((line: string) => line.length))).toBeLessThanOrEqual(998);
  });

  it("has a line that begins with a dot, or with From, as it is", async () => {
    const body = "<pre>\n.\n..\nFrom here on\n</pre>";
    expect((await sendAndOpen(await newProject(), { body })).html).toBe(framed(body));
  });
});

describe("in development", () => {
  const asked = (settings: Partial<Env>, headers: Record<string, string> = {}, path = "/outbox/messages") =>
    callWith({ OUTBOX_HOSTS: "", ...settings }, "GET", path, { headers });

  it.each(["/outbox", "/outbox/messages", "/outbox/messages/x"])(
    "refuses a host name that is not ours: %s",
    async (path) => {
      const answer = await asked({}, {}, path);
      expectRefusal(answer, 401, "INVALID_API_KEY");
      expect(answer.body.error.suggestion).toContain("OUTBOX_HOSTS");
    },
  );

  it("refuses to delete anything under such a name", async () => {
    expectRefusal(await callWith({ OUTBOX_HOSTS: "" }, "DELETE", "/outbox/messages"), 401, "INVALID_API_KEY");
  });

  it("takes the operator's token under any name", async () => {
    expect((await asked({}, bearer(env.ADMIN_TOKEN ?? "").headers)).status).toBe(200);
  });

  it.each(["petrel.example", "other.example, Petrel.Example"])(
    "opens for the hosts in OUTBOX_HOSTS: %s",
    async (list) => {
      expect((await asked({ OUTBOX_HOSTS: list })).status).toBe(200);
    },
  );

  it("opens for the host of PUBLIC_URL", async () => {
    expect((await asked({ PUBLIC_URL: "https://petrel.example:8443/" })).status).toBe(200);
  });

  it("opens for none that merely begins or ends like one of them", async () => {
    for (const OUTBOX_HOSTS of ["petrel.example.org", "example", "rel.example", "mypetrel.example"]) {
      expect((await asked({ OUTBOX_HOSTS })).status).toBe(401);
    }
  });
});

describe("outside of development", () => {
  const inProduction = (method: string, path: string, token?: string) =>
    callWith({ ENVIRONMENT: "production" }, method, path, { token });

  it.each([
    ["GET", "/outbox/messages"],
    ["DELETE", "/outbox/messages"],
    ["GET", "/outbox/messages/x"],
  ])("takes the operator's token: %s %s", async (method, path) => {
    const project = await newProject();
    for (const token of [undefined, "wrong", project.keys.secret]) {
      expectRefusal(await inProduction(method, path, token), 401, "INVALID_API_KEY");
    }
    expect((await inProduction(method, path, env.ADMIN_TOKEN)).status).toBeOneOf([200, 204, 404]);
  });
});

it.each([
  ["2026-01-31T12:00:30.000Z", "just now"],
  ["2026-01-31T11:59:01.000Z", "just now"],
  ["2026-01-31T11:57:59.000Z", "2 minutes ago"],
  ["2026-01-30T12:00:01.000Z", "23 hours ago"],
  ["2026-01-29T11:00:00.000Z", "2 days ago"],
  ["2026-01-31T15:00:00.000Z", "in 3 hours"],
  ["2026-02-14T12:00:00.000Z", "in 14 days"],
])("a page says of %s, which a test clock may put ahead: %s", async (at, words) => {
  expect(String(await timeAgo(at, new Date("2026-01-31T12:00:00.000Z")))).toContain(`>${words}</time>`);
});
