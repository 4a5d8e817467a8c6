import { describe, expect, it } from "vitest";
import { forged } from "../support/forged";
import { framed } from "../support/framed";
import { call, newProject, type TestProject } from "../support/project";
import { expectRefusal, isoTime } from "../support/refusal";
import { emailIds, mailOf, sendAndOpen } from "../support/send-and-wait";
import { newTemplate } from "../support/template";
import { clickUrls, emailWith, follow, pixelUrlIn } from "../support/tracking";
import { callWith } from "../support/with-settings";

const page = "https://shop.example/sale?item=1&utm_source=mail";
const body = `<p>Hello</p><a href="https://shop.example/sale?item=1&amp;utm_source=mail">Sale</a> <a href="mailto:a@b.test">us</a>`;

async function sent(project: TestProject, fields: Record<string, unknown> = {}) {
  const [id = ""] = emailIds(await project.api.send({ body, ...fields }));
  return { id, mail: await mailOf(project, id) };
}

describe("a click", () => {
  it("leads to the page, and is recorded", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const { id, mail } = await sent(project);
    const [link = "", ...others] = clickUrls(mail.html);
    expect(others).toEqual([]);
    expect(mail.html).toContain('<a href="mailto:a@b.test">us</a>');
    const answer = await follow(link);
    expect([answer.status, answer.headers.get("Location")]).toEqual([302, page]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(answer.headers.get("X-Robots-Tag")).toContain("noindex");
    const email = await emailWith(project, id, { status: "CLICKED" });
    expect(email).toMatchObject({ opens: 0, clicks: 1, openedAt: null, clickedAt: expect.stringMatching(isoTime) });
    const data = {
      emailId: id,
      subject: "Hello",
      templateId: null,
      campaignId: null,
      source: "TRANSACTIONAL",
      link: page,
    };
    expect(email.events.at(-1)).toEqual({ name: "email.clicked", at: expect.stringMatching(isoTime), data });
    const { body: events } = await project.api.get("/events?name=email.clicked");
    expect(events.data).toMatchObject([{ emailId: id, contactEmail: "ada@example.com", source: "SYSTEM", data }]);
  });

  it("works from the text of the mail too, and whatever parameters are added", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const { id, mail } = await sent(project);
    expect(clickUrls(mail.text)).toEqual(clickUrls(mail.html));
    const answer = await follow(`${clickUrls(mail.text)[0]}/?fbclid=x&redirect=https://evil.example`);
    expect([answer.status, answer.headers.get("Location")]).toEqual([302, page]);
    await emailWith(project, id, { clicks: 1 });
  });

  it("is counted each time, and once for the mail", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const { id, mail } = await sent(project);
    const [link = ""] = clickUrls(mail.html);
    await follow(link);
    const { clickedAt } = await emailWith(project, id, { clicks: 1 });
    await Promise.all([follow(link), follow(link), follow(link)]);
    await emailWith(project, id, { status: "CLICKED", clicks: 4, clickedAt });
  });

  it.each([
    ["a scanner", { agent: "Barracuda Sentinel (EE)" }],
    ["a crawler", { agent: "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" }],
    ["a prefetch", { headers: { "Sec-Purpose": "prefetch;prerender" } }],
    ["a HEAD", { method: "HEAD" }],
  ])("of %s is recorded as automated, and moves nothing", async (_, how) => {
    const project = await newProject({ tracking: "ENABLED" });
    const { id, mail } = await sent(project);
    const [link = ""] = clickUrls(mail.html);
    const answer = await follow(link, how);
    expect([answer.status, answer.headers.get("Location")]).toEqual([302, page]);
    const email = await emailWith(project, id, {
      events: [{ name: "email.sent" }, { name: "email.delivered" }, { name: "email.clicked" }],
    });
    expect(email).toMatchObject({ status: "DELIVERED", clicks: 0, clickedAt: null });
    expect(email.events.at(-1).data).toMatchObject({ link: page, automated: true });
    await follow(link);
    await emailWith(project, id, { status: "CLICKED", clicks: 1 });
  });
});

describe("an open", () => {
  it("is a picture that nobody sees, and is recorded", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const { id, mail } = await sent(project);
    const answer = await follow(pixelUrlIn(mail.html));
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "image/gif"]);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(new Uint8Array(await answer.arrayBuffer()).slice(0, 10)).toEqual(
      new TextEncoder().encode("GIF89a\u0001\0\u0001\0"),
    );
    const email = await emailWith(project, id, { status: "OPENED", opens: 1, clicks: 0, clickedAt: null });
    expect(email.openedAt).toMatch(isoTime);
    expect(email.events.at(-1)).toMatchObject({ name: "email.opened", data: { emailId: id } });
    expect(email.events.at(-1).data).not.toHaveProperty("automated");
  });

  it("through a picture proxy counts, and says so", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const { id, mail } = await sent(project);
    await follow(pixelUrlIn(mail.html), {
      agent: "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
    });
    const email = await emailWith(project, id, { status: "OPENED", opens: 1 });
    expect(email.events.at(-1).data).toMatchObject({ automated: true });
  });

  it("does not take a click back", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const { id, mail } = await sent(project);
    await follow(clickUrls(mail.html)[0] ?? "");
    await emailWith(project, id, { status: "CLICKED" });
    await follow(pixelUrlIn(mail.html));
    await emailWith(project, id, { status: "CLICKED", opens: 1, clicks: 1 });
  });

  it("is none when only the headers are asked for", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const { id, mail } = await sent(project);
    const answer = await follow(pixelUrlIn(mail.html), { method: "HEAD" });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    await follow(clickUrls(mail.html)[0] ?? "");
    await emailWith(project, id, { status: "CLICKED", opens: 0 });
  });
});

describe("a token that we did not sign", () => {
  it("leads nowhere: a page, and a picture that records nothing", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const { id, mail } = await sent(project);
    const token = new URL(clickUrls(mail.html)[0] ?? "").pathname.slice(3);
    const pixel = new URL(pixelUrlIn(mail.html)).pathname.slice(3);
    const encoded = btoa("https://evil.example").replace(/=+$/, "");
    for (const bad of [
      encoded,
      `${token.slice(0, 76)}${encoded}`,
      `${token}A`,
      token.slice(0, -4),
      pixel,
      "x",
      "%00",
    ]) {
      const answer = await follow(`https://petrel.example/c/${bad}`);
      expect([bad, answer.status, answer.headers.get("Location")]).toEqual([bad, 404, null]);
      expect(await answer.text()).toContain("This link does not work");
    }
    for (const bad of [token, forged(pixel), "x"]) {
      const answer = await follow(`https://petrel.example/o/${bad}`);
      expect([bad, answer.status, answer.headers.get("Content-Type")]).toEqual([bad, 404, "image/gif"]);
    }
    await follow(clickUrls(mail.html)[0] ?? "");
    await emailWith(project, id, { opens: 0, clicks: 1 });
  });

  it("is one of a secret that is gone; a rotated one still verifies", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const { mail } = await sent(project);
    const path = new URL(clickUrls(mail.html)[0] ?? "").pathname;
    const [next, now] = ["n".repeat(40), "test-secret-that-signs-links-of-32-characters"];
    expect((await callWith({ LINK_SECRETS: `${next},${now}` }, "GET", path)).status).toBe(302);
    expect((await callWith({ LINK_SECRETS: next }, "GET", path)).status).toBe(404);
  });

  it("needs no key, and no other method does anything", async () => {
    expect((await call("POST", "/c/x", {})).status).toBe(405);
  });
});

describe("what is tracked", () => {
  it("is no page of the recipient's own, however it is written", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const links = `<a href="{{ unsubscribeUrl }}">1</a><a href="{{ manageUrl }}?lang=de&amp;x=1">2</a><a href="{{ subscribeUrl }}#x">3</a><a href="https://x.test">4</a>`;
    const mail = await sendAndOpen(project, { body: links });
    expect(clickUrls(mail.html)).toHaveLength(1);
    expect(mail.html).toMatch(/href="https:\/\/petrel\.example\/unsubscribe\/[\w-]{110}"/);
    expect(mail.html).toMatch(/href="https:\/\/petrel\.example\/manage\/[\w-]{110}\?lang=de&amp;x=1"/);
    expect(mail.html).toMatch(/href="https:\/\/petrel\.example\/subscribe\/[\w-]{110}#x"/);
  });

  it("is no link with data-no-track, and no URL over 1,500 bytes", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const [longest, longer] = [1_500, 1_501].map((bytes) => `https://x.test/${"ü".repeat(10)}`.padEnd(bytes - 10, "x"));
    const mail = await sendAndOpen(project, {
      body: `<a data-no-track href="https://x.test/">1</a><a href="${longest}">2</a><a href="${longer}">3</a>`,
    });
    expect(mail.html).toContain('<a data-no-track href="https://x.test/">1</a>');
    expect(mail.html).toContain(`<a href="${longer}">3</a>`);
    const [link = "", ...others] = clickUrls(mail.html);
    expect(others).toEqual([]);
    expect((await follow(link)).headers.get("Location")).toBe(new URL(longest ?? "").href);
  });

  it("is no mail of a call with tracking: false", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const mail = await sendAndOpen(project, { body, tracking: false });
    expect(mail.html).toBe(framed(body));
    expect(mail.text).not.toContain("petrel.example");
  });

  it.each(["yes", 1, {}])("%j is refused", async (tracking) => {
    const project = await newProject({ tracking: "ENABLED" });
    const fault = expect.objectContaining({ field: "tracking", code: "invalid_type" });
    expectRefusal(await project.api.send({ tracking }), 422, "VALIDATION_ERROR", { errors: [fault] });
    expect((await project.api.get("/emails")).body.data).toEqual([]);
  });

  it.each([
    ["ENABLED", true, true],
    ["MARKETING_ONLY", false, true],
    ["DISABLED", false, false],
  ])("follows the project's mode: %s", async (tracking, ofInline, ofMarketing) => {
    const project = await newProject({ tracking });
    const marketing = await newTemplate(project, { type: "MARKETING", body });
    const headless = await newTemplate(project, { type: "HEADLESS", body });
    const isTracked = async (fields: object) => {
      const mail = await sendAndOpen(project, { tracking: true, ...fields });
      return clickUrls(mail.html).length > 0 && pixelUrlIn(mail.html) !== "";
    };
    const ofTemplate = { subject: undefined, body: undefined, from: undefined };
    expect(await isTracked({ body })).toBe(ofInline);
    expect(await isTracked({ ...ofTemplate, template: marketing.id })).toBe(ofMarketing);
    expect(await isTracked({ ...ofTemplate, template: headless.id })).toBe(ofInline);
  });

  it("is not what an operator looks at", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const { id } = await sent(project);
    const { body: content } = await project.api.get(`/emails/${id}/content`);
    expect(content.html).toBe(framed(body));
    expect(content.text).toContain(page);
    const { id: templateId } = await newTemplate(project, { type: "TRANSACTIONAL", body });
    const preview = await project.api.post(`/templates/${templateId}/preview`, {});
    expect(preview.body.html).toBe(framed(body));
  });
});

describe("what is gone", () => {
  it("an erased contact's link still leads to its page, and nothing is recorded", async () => {
    const project = await newProject({ tracking: "ENABLED" });
    const { id, mail } = await sent(project);
    const { contactId } = (await project.api.get(`/emails/${id}`)).body;
    await project.api.delete(`/contacts/${contactId}`);
    const other = await sent(project, { to: "bob@example.com" });
    expect((await follow(clickUrls(mail.html)[0] ?? "")).headers.get("Location")).toBe(page);
    await follow(pixelUrlIn(mail.html));
    // The queue keeps its order here.
    await follow(pixelUrlIn(other.mail.html));
    await emailWith(project, other.id, { opens: 1 });
    await emailWith(project, id, { opens: 0, clicks: 0, status: "DELIVERED" });
  });
});
