import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { framed } from "../support/framed";
import { call, newProject, type TestProject } from "../support/project";
import { expectInvalid } from "../support/refusal";
import { emailIn } from "../support/send-and-wait";
import { callWith } from "../support/with-settings";

const pdf = { filename: "invoice.pdf", content: btoa("%PDF-1.7 hello"), contentType: "application/pdf" };
const pixel = { filename: "logo.png", content: btoa("\x89PNG"), contentType: "image/png" };

async function mailOf(project: TestProject, emailId: string) {
  await emailIn(project, emailId, "DELIVERED");
  const { body } = await call("GET", "/outbox/messages?limit=100");
  const { id } = body.data.find((message: { emailId: string }) => message.emailId === emailId);
  return (await call("GET", `/outbox/messages/${id}`)).body;
}

async function filesOf(project: TestProject): Promise<number> {
  const { objects } = await env.BLOBS.list({ prefix: `attachment/${project.id}/` });
  return objects.length;
}

describe("attachments", () => {
  it("arrive whole, with their names and types, beside both texts", async () => {
    const project = await newProject();
    const bytes = Uint8Array.from({ length: 50_000 }, (_, index) => (index * 7) % 256);
    const content = btoa(String.fromCharCode(...bytes));
    const big = { filename: "Übersicht – 2026.bin", content, contentType: "application/octet-stream" };
    const sent = await project.api.send({ attachments: [pdf, big] });
    expect(sent.status).toBe(200);
    const mail = await mailOf(project, sent.body.data.emails[0].email);
    expect(mail).toMatchObject({ html: framed("<p>Hello</p>"), text: "Hello" });
    expect(mail.attachments).toEqual([
      { filename: "invoice.pdf", contentType: "application/pdf", disposition: "attachment", contentId: null, size: 14 },
      {
        filename: "Übersicht – 2026.bin",
        contentType: "application/octet-stream",
        disposition: "attachment",
        contentId: null,
        size: 50_000,
      },
    ]);
    expect(mail.raw.replace(/\r\n/g, "")).toContain(content.slice(0, 5_000));
  });

  it("arrive byte for byte whatever their length, in lines of 76 characters, the inline ones before the others", async () => {
    const project = await newProject();
    const lengths = [0, 1, 2, 3, 56, 57, 58, 113, 114, 115];
    const attachments = lengths.map((length, place) => ({
      filename: `${length}.bin`,
      content: btoa(Array.from({ length }, (_, index) => String.fromCharCode((index * 31 + length) % 256)).join("")),
      contentType: place % 2 ? "text/plain" : "application/octet-stream",
      ...(place % 3 === 0 ? { disposition: "inline", contentId: `file-${length}` } : {}),
    }));
    const sent = await project.api.send({ attachments });
    const { raw } = await mailOf(project, sent.body.data.emails[0].email);
    for (const { filename, content } of attachments) {
      const part = raw.slice(raw.indexOf(`filename=${filename}`));
      const [, base64 = ""] = /\r\n\r\n([\s\S]*?)\r\n--/.exec(part) ?? [];
      expect(base64).toBe(content.replace(/.{76}(?=.)/g, "$&\r\n"));
    }
  });

  it("that are inline are found by their cid", async () => {
    const project = await newProject();
    const inline = { ...pixel, disposition: "inline", contentId: "logo" };
    const sent = await project.api.send({ body: '<img src="cid:logo" alt="Logo">', attachments: [inline] });
    const mail = await mailOf(project, sent.body.data.emails[0].email);
    expect(mail.attachments).toEqual([
      { filename: "logo.png", contentType: "image/png", disposition: "inline", contentId: "logo", size: 4 },
    ]);
    expect(mail.raw).toContain("multipart/related");
    expect(mail.raw).toContain("Content-ID: <logo>");
  });

  it("say their type as `type` too", async () => {
    const project = await newProject();
    const { contentType: type, ...rest } = pdf;
    const sent = await project.api.send({ attachments: [{ ...rest, type }] });
    const mail = await mailOf(project, sent.body.data.emails[0].email);
    expect(mail.attachments[0].contentType).toBe("application/pdf");
  });

  it.each([
    "text/calendar; method=REQUEST",
    'text/calendar;charset="utf-8"; method=REQUEST',
    "text/plain; format=flowed",
  ])("keep the parameters of their type: %s", async (contentType) => {
    const project = await newProject();
    const sent = await project.api.send({ attachments: [{ ...pdf, filename: "invite.ics", contentType }] });
    expect(sent.status).toBe(200);
    const { raw } = await mailOf(project, sent.body.data.emails[0].email);
    const [, parameter = ""] = /; ?(\w+=[^;]+)$/.exec(contentType) ?? [];
    const unfolded = raw.replace(/\r\n[ \t]+/g, " ");
    const header = /^Content-Type: text\/(?:calendar|plain);.*invite\.ics.*$/m.exec(unfolded)?.[0];
    expect(header).toContain(parameter);
  });

  it("are kept once for all recipients", async () => {
    const project = await newProject();
    const sent = await project.api.send({ to: ["ada@example.com", "bob@example.com"], attachments: [pdf] });
    for (const { email } of sent.body.data.emails) {
      expect((await mailOf(project, email)).attachments).toHaveLength(1);
    }
    expect(await filesOf(project)).toBe(1);
  });

  it.each([
    ["no filename", { ...pdf, filename: undefined }, "filename", "required"],
    ["an empty filename", { ...pdf, filename: "" }, "filename", "too_small"],
    ["a filename of 256 characters", { ...pdf, filename: "f".repeat(256) }, "filename", "too_big"],
    ["a quote in the filename", { ...pdf, filename: 'a".pdf' }, "filename", "invalid_string"],
    ["a line break in the filename", { ...pdf, filename: "a\r\nb.pdf" }, "filename", "invalid_string"],
    ["no content", { ...pdf, content: undefined }, "content", "required"],
    ["content that is no base64", { ...pdf, content: "not base64!" }, "content", "invalid_string"],
    ["base64 that was cut off", { ...pdf, content: "abcde" }, "content", "invalid_string"],
    ["base64 of the URL kind", { ...pdf, content: "ab-_" }, "content", "invalid_string"],
    ["no contentType", { ...pdf, contentType: undefined }, "contentType", "required"],
    ["a contentType that is none", { ...pdf, contentType: "pdf" }, "contentType", "invalid_string"],
    ["a line break in the contentType", { ...pdf, contentType: "a/b\r\nX: y" }, "contentType", "invalid_string"],
    ["inline without contentId", { ...pixel, disposition: "inline" }, "contentId", "required"],
    ["a contentId with angle brackets", { ...pixel, contentId: "<a>" }, "contentId", "invalid_string"],
    ["another disposition", { ...pdf, disposition: "aside" }, "disposition", "invalid_enum_value"],
  ])("refuse %s, with no effect", async (_, attachment, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.send({ attachments: [pdf, attachment] }), `attachments.1.${field}`, code);
    expect(await filesOf(project)).toBe(0);
  });

  it("may be ten, and not eleven", async () => {
    const project = await newProject();
    expect((await project.api.send({ attachments: Array(10).fill(pdf) })).status).toBe(200);
    expectInvalid(await project.api.send({ attachments: Array(11).fill(pdf) }), "attachments", "too_big");
    expect(await filesOf(project)).toBe(10);
  });

  it("may fill the cap to the byte, and not pass it", async () => {
    const project = await newProject();
    const settings = { MAX_ATTACHMENT_SIZE_MB: "0.001", MAX_ATTACHMENTS_COUNT: "2" };
    const sized = (bytes: number) => ({ ...pdf, content: btoa("x".repeat(bytes)) });
    const send = (attachments: unknown[]) => {
      const body = { to: "ada@example.com", from: `hi@${project.domain}`, subject: "Hi", body: "Hi", attachments };
      return callWith(settings, "POST", "/v1/send", { token: project.keys.secret, body });
    };
    expect((await send([sized(1_000), sized(48)])).status).toBe(200);
    expectInvalid(await send([sized(1_000), sized(49)]), "attachments", "too_big");
    expectInvalid(await send([sized(1), sized(1), sized(1)]), "attachments", "too_big");
  });

  it("are not looked at one by one when there are far too many", async () => {
    const project = await newProject();
    const answer = await project.api.send({ attachments: Array(200_000).fill(0) });
    expect(answer.status).toBe(422);
    expect(answer.body.error.errors.length).toBeLessThanOrEqual(101);
  });

  it.each([
    ...["multipart/mixed", "Multipart/Alternative", "message/rfc822"],
    ...[
      "text/plain; boundary=a",
      "text/plain; Name=b.txt",
      "text/plain; charset",
      "text/plain; a=b c",
      'text/plain; a="b',
    ],
    `text/plain; a="${"b".repeat(500)}"`,
  ])("refuse the type %s", async (contentType) => {
    const project = await newProject();
    const answer = await project.api.send({ attachments: [{ ...pdf, contentType }] });
    expect(answer.status).toBe(422);
    expect(answer.body.error.errors[0]).toMatchObject({
      field: "attachments.0.contentType",
      code: contentType.length > 500 ? "too_big" : "invalid_string",
    });
  });

  it("of a refused call leave nothing behind", async () => {
    const project = await newProject();
    expect((await project.api.send({ from: "hi@elsewhere.test", attachments: [pdf] })).status).toBe(403);
    await expect.poll(() => filesOf(project)).toBe(0);
  });

  it("of 10 MB are delivered, three at once", async () => {
    const project = await newProject();
    const file = { ...pdf, content: "QUJD".repeat((10 * 1024 * 1024 - 1) / 3) };
    const answers = await Promise.all(
      [1, 2, 3].map((n) => project.api.send({ to: `r${n}@example.com`, attachments: [file] })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const { body } of answers) await emailIn(project, body.data.emails[0].email, "DELIVERED");
    // 30 MB of base64 take their time on a machine that is busy.
  }, 60_000);
});
