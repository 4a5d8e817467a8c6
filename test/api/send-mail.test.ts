import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { framed } from "../support/framed";
import { newProject, type TestProject } from "../support/project";
import { eventCounts } from "../support/rows";
import { contactOf, emailIds, mailOf, sendAndOpen, sendAndWait } from "../support/send-and-wait";

describe("what a mail can say", () => {
  const data = {
    firstName: "Ada",
    "first name": "Ada K.",
    plan: "pro",
    zero: 0,
    no: false,
    profile: { tier: "gold" },
    "profile.city": "London",
    items: [{ title: "Tea" }, { title: "Cake" }],
    html: "<b>&\"'</b>",
  };

  it.each([
    ["a key at the top level", "{{ firstName }}", "Ada"],
    ["a key under data", "{{ data.firstName }}", "Ada"],
    ["without blanks", "{{firstName}}", "Ada"],
    ["a path into an object", "{{ profile.tier }} {{ data.profile.tier }}", "gold gold"],
    ["a literal key with a dot", "{{ profile.city }}", "London"],
    ["a name with a blank", '{{first name}} {{ data["first name"] }}', "Ada K. Ada K."],
    ["a fallback for what is missing", '{{ nobody ?? "there" }}', "there"],
    ["a fallback that is not needed", '{{firstName ?? "there"}}', "Ada"],
    ["a chain of fallbacks with a filter", '{{ a ?? b ?? "c" | upcase }}', "C"],
    ["no fallback for false and 0", '{{ no ?? "x" }} {{ zero ?? "x" }}', "false 0"],
    ["nothing for what is missing", "[{{ nobody }}]", "[]"],
    ["a condition", "{% if plan == 'pro' %}yes{% else %}no{% endif %}", "yes"],
    ["a loop", "{% for item in items %}{{ item.title }};{% endfor %}", "Tea;Cake;"],
    ["the contact itself", "{{ email }} {{ service_email }} {{ subscribed }}", "ada@example.com ada@example.com false"],
    ["values escaped", "{{ html }}", "&lt;b&gt;&amp;&#34;&#39;&lt;/b&gt;"],
    ["a value as it is, on request", "{{ html | raw }}", "<b>&\"'</b>"],
    ["markup of its own as it is", '<p class="a">&amp; é 李</p>', '<p class="a">&amp; é 李</p>'],
  ])("is %s", async (_, body, html) => {
    const mail = await sendAndOpen(await newProject(), { data, body });
    expect(mail.html).toBe(framed(html));
  });

  it("is in a subject not escaped, and on one line", async () => {
    const project = await newProject();
    const mail = await sendAndOpen(project, {
      subject: "{{ who }} & <you>: {{ html }}",
      data: { who: "Ada\r\nBcc: eve@example.com\n", html: "<b>\"'</b>" },
    });
    expect(mail.subject).toBe("AdaBcc: eve@example.com & <you>: <b>\"'</b>");
    expect(mail.headers.map(([name]: [string]) => name.toLowerCase())).not.toContain("bcc");
  });

  it("is the contact as it is when the mail is taken up, under this call's own data", async () => {
    const project = await newProject();
    await project.api.send({ data: { plan: "free", city: "Ghent" } });
    const mail = await sendAndOpen(project, { data: { plan: "pro" }, body: "{{ plan }} {{ city }}" });
    expect(mail.html).toBe(framed("pro Ghent"));
  });
});

describe("the recipient's name", () => {
  const to = { name: "Ada Lovelace", email: "ada@example.com" };

  it.each([
    ["to.name", { to }, "Ada Lovelace"],
    ["data.name before it", { to, data: { name: "Countess" } }, "Countess"],
    ["a data.name for this send before it", { to, data: { name: { value: "Ms L.", persistent: false } } }, "Ms L."],
    ["to.name when data.name is empty", { to, data: { name: "" } }, "Ada Lovelace"],
    ["nothing without either", { to: "ada@example.com" }, "nobody"],
    ["nothing for an empty name", { to: { name: "", email: "ada@example.com" } }, "nobody"],
  ])("is %s", async (_, fields, name) => {
    const mail = await sendAndOpen(await newProject(), { ...fields, body: "{{ name ?? 'nobody' }}" });
    expect(mail.html).toBe(framed(name));
  });

  it("is not stored on the contact", async () => {
    const project = await newProject();
    expect((await contactOf(project, await project.api.send({ to }))).data).toEqual({});
  });
});

describe("the sender's name", () => {
  const from = (project: TestProject) => `hello@${project.domain}`;

  it.each<[string, string | null, (project: TestProject) => Record<string, unknown>, string | null]>([
    ["from.name first", "Project", (p) => ({ from: { name: "From", email: from(p) }, name: "Name" }), "From"],
    ["then name", "Project", (p) => ({ from: from(p), name: "Name" }), "Name"],
    [
      "then name, when from has an empty one",
      "Project",
      (p) => ({ from: { name: "", email: from(p) }, name: "Name" }),
      "Name",
    ],
    ["then the project's", "Project", (p) => ({ from: from(p) }), "Project"],
    ["then the project's, when name is empty", "Project", (p) => ({ from: from(p), name: "" }), "Project"],
    ["and else there is none", null, (p) => ({ from: from(p) }), null],
  ])("is %s", async (_, fromName, fields, expected) => {
    const project = await newProject({ fromName });
    const [id = ""] = emailIds(await project.api.send(fields(project)));
    const mail = await mailOf(project, id);
    expect(mail.from).toBe(expected === null ? from(project) : `${expected} <${from(project)}>`);
    expect((await project.api.get(`/emails/${id}`)).body.fromName).toBe(expected);
  });
});

describe("the reply address", () => {
  it("is reply", async () => {
    const mail = await sendAndOpen(await newProject(), { reply: " Support@Example.com " });
    expect(mail.replyTo).toBe("support@example.com");
  });

  it("is none when it is not given", async () => {
    const mail = await sendAndOpen(await newProject(), {});
    expect(mail.replyTo).toBeNull();
    expect(namesIn(mail)).not.toContain("reply-to");
  });

  it.each(["Reply-To", "rEPLY-tO"])("is the %s header when there is one, once", async (name) => {
    const fields = { reply: "support@example.com", headers: { [name]: "Desk <desk@example.com>" } };
    const mail = await sendAndOpen(await newProject(), fields);
    expect(mail.replyTo).toBe("Desk <desk@example.com>");
    expect(namesIn(mail).filter((header) => header === "reply-to")).toHaveLength(1);
  });
});

describe("extra headers", () => {
  it.each([
    ["a plain one", "X-Order-Id", "1042"],
    ["one in odd case", "x-oRdEr", "a b c"],
    ["List-Unsubscribe", "List-Unsubscribe", "<https://acme.example/out?a=1>, <mailto:out@acme.example>"],
    ["In-Reply-To", "In-Reply-To", "<1234@acme.example>"],
    ["References", "References", "<1@acme.example> <2@acme.example>"],
    ["one in another script", "X-Note", "Grüße aus München – 李"],
    ["one with quotes and markup", "X-Note", "\"<b>'&amp;'</b>\"; a=b"],
    ["one named like a method of objects", "constructor", "c"],
    ["a long one of words", "X-Long", "word ".repeat(199).trim()],
  ])("reach the recipient: %s", async (_, name, value) => {
    const mail = await sendAndOpen(await newProject(), { headers: { [name]: value } });
    const received = mail.headers.filter(([header]: [string]) => header === name);
    expect(received.map(([, text]: [string, string]) => text)).toEqual([value]);
  });

  it("of 998 characters arrive whole", async () => {
    const value = "v".repeat(998);
    const mail = await sendAndOpen(await newProject(), { headers: { "X-Long": value } });
    expect(headerOf(mail, "X-Long")).toBe(value);
  });

  it("arrive all fifty", async () => {
    const headers = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`X-Header-${index}`, `v${index}`]));
    const mail = await sendAndOpen(await newProject(), { headers });
    const received = mail.headers.filter(([name]: [string]) => name.startsWith("X-Header-"));
    expect(Object.fromEntries(received)).toEqual(headers);
  });
});

describe("the message", () => {
  it("has each header of its own exactly once, and a plain-text part beside the HTML", async () => {
    const project = await newProject();
    const mail = await sendAndOpen(project, { subject: "Hello", body: "<h1>Hi</h1><p>There &amp; then</p>" });
    const own = ["from", "to", "subject", "date", "message-id", "mime-version", "content-type"];
    for (const name of own) expect([name, namesIn(mail).filter((header) => header === name).length]).toEqual([name, 1]);
    expect(headerOf(mail, "Content-Type")).toContain("multipart/alternative");
    expect(headerOf(mail, "Message-ID")).toBe(`<${mail.emailId}@${project.domain}>`);
    expect(mail.html).toBe(framed("<h1>Hi</h1><p>There &amp; then</p>"));
    expect(mail.text).toContain("There & then");
    expect(mail.text).not.toContain("<");
    expect(mail.attachments).toEqual([]);
  });

  it("carries a subject of 998 characters whole", async () => {
    const subject = `${"Žluťoučký kůň ".repeat(71)}end!`;
    expect(subject).toHaveLength(998);
    const mail = await sendAndOpen(await newProject(), { subject });
    expect(mail.subject).toBe(subject);
  });

  it("makes no header out of what a name says", async () => {
    const project = await newProject();
    const name = '"Eve" <eve@example.com>, Bcc: x';
    const mail = await sendAndOpen(project, { to: { name, email: "ada@example.com" } });
    expect(mail.to).toBe(`${name} <ada@example.com>`);
    const { results } = await env.DB.prepare("SELECT to_email FROM outbox_messages WHERE project_id = ?")
      .bind(project.number)
      .all();
    expect(results).toEqual([{ to_email: "ada@example.com" }]);
  });

  it("never reads a file or an address that a body names", async () => {
    const body = '<img src="cid:x"><img src="file:///etc/passwd"><img src="https://example.com/pixel.png">';
    const mail = await sendAndOpen(await newProject(), { body });
    expect(mail.html).toBe(framed(body));
    expect(mail.attachments).toEqual([]);
  });
});

describe("a large body", () => {
  it.each([
    ["of just 64 KB stays in the row", 65_536, 0],
    ["of one byte more goes to R2", 65_537, 1],
  ])("%s, and is delivered whole", async (_, size, files) => {
    const project = await newProject();
    const body = `<p>${"b".repeat(size - 7)}</p>`;
    const mail = await sendAndOpen(project, { body });
    expect(mail.html === framed(body)).toBe(true);
    const { objects } = await env.BLOBS.list({ prefix: `content/${project.id}/` });
    expect(objects).toHaveLength(files);
  });

  it("is counted in bytes of UTF-8 and delivered whole to every recipient, rendered for each", async () => {
    const project = await newProject();
    const filler = "<p>Žofie 李 👩‍👩‍👧</p>\n".repeat(3_000);
    const sent = await project.api.send({ to: ["ada@example.com", "bob@example.com"], body: `${filler}{{ email }}` });
    const mails = await Promise.all(emailIds(sent).map((id) => mailOf(project, id)));
    expect(mails.map((mail) => mail.html === framed(`${filler}${mail.to}`))).toEqual([true, true]);
    expect((await env.BLOBS.list({ prefix: `content/${project.id}/` })).objects).toHaveLength(1);
  });

  it("may have 2,000,000 characters", async () => {
    const project = await newProject();
    const line = "<p>A line of a very long letter, é</p>\n";
    const body = line.repeat(Math.floor(2_000_000 / line.length)).padEnd(2_000_000, ".");
    const mail = await sendAndOpen(project, { body });
    expect(mail.html === framed(body)).toBe(true);
  });
});

describe("a hostile template", () => {
  it.each([
    ["a loop without end in sight", "{% for i in (1..100000000) %}x{% endfor %}"],
    ["loops in loops", "{% for a in (1..9999) %}{% for b in (1..9999) %}{{ b }}{% endfor %}{% endfor %}"],
    [
      "a text that doubles itself",
      `{% assign a = 'xxxxxxxxxx' %}${"{% assign a = a | append: a %}".repeat(40)}{{ a }}`,
    ],
    ["an output beyond the cap", "{% for i in (1..300000) %}0123456789{% endfor %}"],
  ])("ends FAILED with a clear reason, sends nothing and stops nobody: %s", async (_, body) => {
    const project = await newProject();
    const email = await sendAndWait(project, { body }, "FAILED");
    expect(email.error).toMatch(/^The (template|rendered text) .*\.$/s);
    expect(email).toMatchObject({ attempts: 0, sentAt: null, providerMessageId: null });
    expect(email.events.map((event: { name: string }) => event.name)).toEqual(["email.failed"]);
    expect(email.events[0].data).toMatchObject({ emailId: email.id, reason: email.error });
    await sendAndWait(project, {});
    expect((await eventCounts(project))["email.failed"]).toBe(1);
  });

  it("fails for the recipients whose data is hostile, and for nobody else", async () => {
    const project = await newProject();
    await project.api.post("/contacts", { email: "eve@example.com", data: { times: 100_000_000 } });
    const body = "{% assign n = times ?? 1 %}{% for i in (1..n) %}x{% endfor %}";
    const [ada = "", eve = "", bob = ""] = emailIds(
      await project.api.send({ to: ["ada@example.com", "eve@example.com", "bob@example.com"], body }),
    );
    expect((await mailOf(project, ada)).html).toBe(framed("x"));
    expect((await mailOf(project, bob)).html).toBe(framed("x"));
    expect((await project.api.get(`/emails/${eve}`)).body.status).toBe("FAILED");
  });
});

interface Opened {
  headers: [name: string, value: string][];
}

function namesIn(mail: Opened): string[] {
  return mail.headers.map(([name]) => name.toLowerCase());
}

function headerOf(mail: Opened, name: string): string | undefined {
  return mail.headers.find(([header]) => header.toLowerCase() === name.toLowerCase())?.[1];
}
