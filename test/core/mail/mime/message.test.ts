import fc from "fast-check";
import MailComposer from "nodemailer/lib/mail-composer";
import PostalMime, { decodeWords } from "postal-mime";
import { describe, expect, it } from "vitest";
import { type Address, asciiDomain, domainOf, normalizeEmail } from "../../../../src/core/mail/address";
import type { Attachment } from "../../../../src/core/mail/attachments";
import type { Message } from "../../../../src/core/mail/message";
import { toMime } from "../../../../src/core/mail/mime/message";

const sound: Message = {
  emailId: "01890a5d-ac96-774b-bcce-b302099a8057",
  projectId: "01890a5d-ac96-774b-bcce-b302099a8058",
  projectNumber: 1,
  type: "TRANSACTIONAL",
  from: { email: "hello@acme.test", written: "hello@acme.test", name: "Acme" },
  to: { email: "ada@example.com", written: "Ada@example.com", name: null },
  replyTo: null,
  subject: "Hello",
  html: "<p>Hello</p>",
  text: "Hello",
  headers: {},
  attachments: [],
  date: new Date("2026-01-02T03:04:05.678Z"),
};

const answers = { email: "answers@acme.test", written: "answers@acme.test", name: null };

const pdf: Attachment = {
  filename: "a.pdf",
  contentType: "application/pdf",
  contentId: null,
  disposition: "attachment",
  content: "aGVsbG8=",
};
const logo: Attachment = {
  ...pdf,
  filename: "logo.png",
  contentType: "image/png",
  contentId: "logo",
  disposition: "inline",
};

const shapes: [name: string, fields: Partial<Message>][] = [
  ["a plain mail", {}],
  ["no name of the sender", { from: { ...sound.from, name: null } }],
  ["an empty name", { to: { ...sound.to, name: "" } }],
  ["a name with a comma and quotes", { to: { ...sound.to, name: 'O\'Neil, "Ada" \\ Jr.' } }],
  ["a name in Unicode", { to: { ...sound.to, name: "Ærø, Grüße & 李" } }],
  ["a name of surrogate pairs", { from: { ...sound.from, name: "🐦".repeat(60) } }],
  ["a name that looks like an encoded word", { from: { ...sound.from, name: "=?utf-8?Q?x?=" } }],
  ["a name with an address in it", { from: { ...sound.from, name: "boss@bank.test <x@y.test>" } }],
  ["a long name without blanks", { to: { ...sound.to, name: `${"n".repeat(120)}-${"n".repeat(120)}` } }],
  ["a domain in Unicode", { to: { email: "ada@xn--bcher-kva.example", written: "Ada@Bücher.example", name: "Ada" } }],
  ["a domain in full width", { to: { email: "ada@example.com", written: "ada@ｅxample.com", name: null } }],
  [
    "an apostrophe in the local part",
    { to: { email: "o'neil+a/b@example.com", written: "O'Neil+a/b@example.com", name: null } },
  ],
  ["a reply-to", { replyTo: answers }],
  ["a reply-to with a name", { replyTo: { ...answers, name: "Grüße, Ada" } }],
  [
    "a reply-to among the headers",
    {
      replyTo: { ...answers, email: "no@acme.test", written: "no@acme.test" },
      headers: { "reply-TO": '"Ada, L" <ada@acme.test>, b@acme.test' },
    },
  ],
  ["a reply-to in Unicode", { headers: { "Reply-To": '"Grüße, Ada" <Ada@Bücher.example>, b@acme.test' } }],
  ["a long subject with emoji", { subject: "👩‍👩‍👧 hello 🇳🇱 ".repeat(20) }],
  ["a long subject with blanks", { subject: "all about your order ".repeat(20).trim() }],
  ["a subject of 998 characters without a blank", { subject: "s".repeat(998) }],
  ["a Japanese subject", { subject: "紙のメールの件名".repeat(12) }],
  ["a subject that looks like an encoded word", { subject: "=?utf-8?B?8J+Qpg==?= and =?x" }],
  ["a subject with quotes", { subject: 'The "new" one\\' }],
  ["a subject with blanks at its ends and in a row", { subject: `a${" ".repeat(200)}b  c` }],
  ["an empty subject", { subject: "" }],
  ["headers", { headers: { "X-Order-ID": "1042", "x-order-url": "https://acme.test/orders/1042", "X-Empty": "" } }],
  ["a long header", { headers: { "X-Long": "word and word ".repeat(60).trim() } }],
  ["a header of 998 characters without a blank", { headers: { "X-Long": "x".repeat(998) } }],
  ["a header in Unicode", { headers: { "X-Name": "Grüße aus Köln" } }],
  ["a header with tabs and control characters", { headers: { "X-Tab": "a\tb", "X-Bell": "a\u0007b" } }],
  [
    "the headers of a thread",
    { headers: { "In-Reply-To": "a@b.test", References: `<a@b.test>  ${"<0123456789@b.test> ".repeat(30)}c@d.test` } },
  ],
  [
    "the headers of a list",
    { headers: { "List-Unsubscribe": `<https://mail.acme.test/${"u".repeat(200)}>, <mailto:u@acme.test>` } },
  ],
  ["an empty body", { html: "", text: "" }],
  ["long lines", { html: `<p>${"long line ".repeat(400)}</p>`, text: "x".repeat(5_000) }],
  ["lines of dots", { html: "<p>\n.\n..\n</p>", text: ".\n..\n...\n" }],
  ["line breaks of every kind", { html: "<p>\r\na\nb\rc\r\r\nd\n\r</p>", text: "a\r\n\r\nb\n\nc\r\rd" }],
  ["blanks at the ends of lines", { html: `<p> \n\t\n${"é ".repeat(90)} \n</p>\t`, text: "a  \nü \t\n " }],
  ["equals signs", { html: `<p style="a=b">${"=".repeat(300)}</p>`, text: "=3D=\n=" }],
  ["Unicode", { html: `<p>${"ä€🐦x".repeat(300)}</p>`, text: "ä€🐦x ".repeat(300) }],
  [
    "mostly another alphabet",
    { html: `<p>${"Мы пишем письма. ".repeat(90)}</p>`, text: "紙のメールの件名".repeat(90) },
  ],
  ["control characters", { html: "<p>\u0000\u0001\u007f\u00a0\u2028</p>", text: "\u000b\u000c\u0085\ufeffa\ufffd" }],
  ["a file", { attachments: [pdf] }],
  ["files", { attachments: [pdf, { ...pdf, filename: "b.bin", content: "QUJD".repeat(200) }] }],
  [
    "files of every remainder of a line",
    { attachments: ["", "QUJD".repeat(19), "QUJD".repeat(20), "QQ=="].map((content) => ({ ...pdf, content })) },
  ],
  ["a file that the body shows", { html: '<img src="cid:logo">', attachments: [logo] }],
  [
    "files to show and to keep",
    { html: '<img src="cid:logo">', attachments: [pdf, logo, pdf, { ...logo, contentId: "b" }] },
  ],
  ["a file to keep with an id", { attachments: [{ ...pdf, contentId: "x@y" }] }],
  ["a file to show alone, without an id", { attachments: [{ ...logo, contentId: null }] }],
  ["a file's name in Unicode", { attachments: [{ ...pdf, filename: "Rechnung für 李 🐦.pdf" }] }],
  ["a file's long name in Unicode", { attachments: [{ ...pdf, filename: `${"Grüße und mehr ".repeat(16)}.pdf` }] }],
  ["a file's long name", { attachments: [{ ...pdf, filename: `${"n".repeat(250)}.pdf` }] }],
  ["a file's name with signs", { attachments: [{ ...pdf, filename: "a;b=c\\d'e (1)%41,<f>.pdf" }] }],
  [
    "a file's type with parameters",
    { attachments: [{ ...pdf, content: "aGVsbG8K", contentType: "text/calendar; method=REQUEST; charset=utf-8" }] },
  ],
  ["a file's type with quoted parameters", { attachments: [{ ...pdf, contentType: 'text/x-a;a="b; \\"c\\""; d=e' }] }],
  ["a file's type with a long parameter", { attachments: [{ ...pdf, contentType: `text/x-a; a=${"b".repeat(120)}` }] }],
];

/** nodemailer takes an encoded word in a name or a subject for one, and loses a line break. */
const ownWays = new Set([
  "a name that looks like an encoded word",
  "a subject that looks like an encoded word",
  "line breaks of every kind",
]);

const theirs = ({ name, written }: Address) => ({ name: name ?? "", address: written });

/** What nodemailer makes of the same message, from its own fields. */
async function byNodemailer({ emailId, from, to, replyTo, subject, html, text, headers, attachments, date }: Message) {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const composer = new MailComposer({
    from: theirs(from),
    to: theirs(to),
    ...(replyTo === null || names.includes("reply-to") ? {} : { replyTo: theirs(replyTo) }),
    subject,
    html: html || " ",
    text: text || " ",
    attachments: attachments.map(({ filename, contentType, contentId, disposition, content }) => ({
      ...{ filename, contentType, content, encoding: "base64", contentDisposition: disposition },
      ...(contentId === null ? {} : { cid: contentId }),
    })),
    headers: Object.entries(headers).map(([key, value]) => ({ key, value })),
    date,
    messageId: `<${emailId}@${domainOf(from.email)}>`,
  });
  return new Uint8Array(await composer.compile().build());
}

/** Everything that a reader gets from a message. */
async function read(mime: Uint8Array) {
  const {
    headers,
    html,
    text,
    attachments,
    headerLines: _,
    ...fields
  } = await PostalMime.parse(mime, {
    attachmentEncoding: "base64",
  });
  return {
    ...fields,
    headers: headers
      .filter(({ key }) => key !== "content-type")
      .map(({ key, value }) => ({ key, value: blanks(decodeWords(value)) })),
    html: sameLines(html),
    text: sameLines(text),
    attachments,
  };
}

/** Line breaks are CRLF in a message, whatever they were; a reader adds one to the last line, or takes it away. */
function sameLines(text = ""): string {
  return text.replaceAll(/\r\n?/g, "\n").replace(/[ \n]*$/, "");
}

const encodedWordOrAscii = /^[\t\r\n -~]*$/;

function expectSound(mime: Uint8Array) {
  const source = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(mime);
  expect(source).toMatch(encodedWordOrAscii);
  expect(source).not.toMatch(/[^\r]\n|\r[^\n]/);
  const lines = source.split("\r\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998);
  // A line of a header that could have been folded: it has a blank within that is not in front of its first word.
  const head = lines.slice(0, lines.indexOf(""));
  expect(head.filter((line) => line.length > 78 && /^\S+: \S.* |^\s*\S+ \S/.test(line.slice(0, 78)))).toEqual([]);
}

describe("a message", () => {
  it.each(shapes.filter(([name]) => !ownWays.has(name)))("reads like nodemailer's: %s", async (_, fields) => {
    const message = { ...sound, ...fields };
    const mime = toMime(message);
    expectSound(mime);
    expect(await read(mime)).toEqual(await read(await byNodemailer(message)));
  });

  it.each(shapes)("comes back field by field: %s", async (_, fields) => {
    await expectFields({ ...sound, ...fields });
  });

  it.each(shapes)("is the same on every try: %s", (_, fields) => {
    const message = { ...sound, ...fields };
    expect(toMime(structuredClone(message))).toEqual(toMime(message));
  });

  it("comes back field by field, whatever it says", async () => {
    await fc.assert(
      fc.asyncProperty(anyMessage(), async (message) => {
        expectSound(toMime(message));
        await expectFields(message);
        const names = [message.subject, message.from.name, message.to.name, message.replyTo?.name].join();
        if (names.includes("=?")) return;
        expect(await read(toMime(message))).toEqual(await read(await byNodemailer(message)));
      }),
      { numRuns: 100 },
    );
  });

  it("keeps its files as they are, and never decodes them", () => {
    const content = "QUJD".repeat(300_000);
    const source = new TextDecoder().decode(toMime({ ...sound, attachments: [{ ...pdf, content }] }));
    const [, lines = ""] =
      /Content-Disposition: attachment[^\r]*\r\n\r\n([A-Za-z0-9+/=\r\n]*)\r\n--/.exec(source) ?? [];
    expect(lines.replaceAll("\r\n", "") === content).toBe(true);
    expect(lines.split("\r\n").every((line) => line.length <= 76)).toBe(true);
  });

  it("is not ended by its own boundary in a text or a file's name", async () => {
    const boundary = /boundary="([^"]+)"/.exec(new TextDecoder().decode(toMime(sound)))?.[1] ?? "";
    const text = `a\n--${boundary}--\nb\n--${boundary}\n\nc = d ü`;
    await expectFields({ ...sound, html: `<p>${text}</p>`, text, attachments: [{ ...pdf, filename: boundary }] });
  });
});

async function expectFields(message: Message) {
  const mail = await PostalMime.parse(toMime(message), { attachmentEncoding: "base64" });
  const named = ({ email, written, name }: Message["from"]) => ({
    address: `${written.slice(0, written.lastIndexOf("@"))}@${domainOf(email)}`,
    name: name ?? "",
  });
  expect(mail.from).toEqual(named(message.from));
  expect(mail.to).toEqual([named(message.to)]);
  const hasOwn = Object.keys(message.headers).some((name) => name.toLowerCase() === "reply-to");
  if (message.replyTo !== null && !hasOwn) expect(mail.replyTo).toEqual([named(message.replyTo)]);
  expect(blanks(mail.subject ?? "")).toBe(blanks(message.subject));
  expect(mail.messageId).toBe(`<${message.emailId}@${domainOf(message.from.email)}>`);
  expect(new Date(mail.date ?? "").getTime()).toBe(Math.floor(message.date.getTime() / 1_000) * 1_000);
  expect(sameLines(mail.html)).toBe(sameLines(message.html));
  expect(sameLines(mail.text)).toBe(sameLines(message.text));
  const inOrder = [...message.attachments].sort((a, b) => Number(a.contentId === null) - Number(b.contentId === null));
  expect(
    mail.attachments.map(({ filename, mimeType, contentId, disposition, content }) => ({
      ...{ filename, mimeType, contentId, disposition, content },
    })),
  ).toEqual(
    inOrder.map(({ filename, contentType, contentId, disposition, content }) => ({
      ...{ filename, disposition, content },
      mimeType: contentType.split(";")[0]?.toLowerCase(),
      contentId: contentId === null ? undefined : `<${contentId}>`,
    })),
  );
  const special = ["reply-to", "in-reply-to", "references"];
  for (const [name, value] of Object.entries(message.headers)) {
    if (special.includes(name.toLowerCase()) || value.trim() === "") continue;
    expect(
      mail.headers.filter(({ key }) => key === name.toLowerCase()).map(({ value }) => blanks(decodeWords(value))),
    ).toContain(blanks(value));
  }
}

function blanks(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

const letters = [
  "a",
  "B",
  "0",
  " ",
  "  ",
  "-",
  "=",
  "?",
  "=?",
  "?=",
  '"',
  "\\",
  ",",
  ";",
  ":",
  "<",
  ">",
  "(",
  ")",
  "@",
  ".",
  "'",
  "%41",
  "ä",
  "€",
  "李",
  "🐦",
  "é",
];

function textOf(units: string[], maxLength: number): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...units), { maxLength }).map((all) => all.join(""));
}

function anyMessage(): fc.Arbitrary<Message> {
  const line = textOf(letters, 60).map((text) => text.trim());
  const body = textOf([...letters, "\n", "\r\n", ".\n", "\t", "word ".repeat(20), "x".repeat(90), "\u0000"], 60);
  const address = fc
    .record({
      local: fc.stringMatching(/^[a-zA-Z0-9]([.][a-z]|[!#$%&'*+/=?^_`{|}~-]){0,6}$/),
      domain: fc.constantFrom("example.com", "Bücher.example", "ｅxample.com", "a-b.co.uk"),
      name: fc.option(line),
    })
    .map(({ local, domain, name }) => {
      const written = `${local}@${domain}`;
      return { written, email: normalizeEmail(written) ?? `${local}@${asciiDomain(domain)}`, name };
    });
  const file = fc.record({
    filename: textOf(letters, 50)
      .map((text) => text.replaceAll('"', "").trim())
      .filter((name) => name !== ""),
    contentType: fc.constantFrom("application/pdf", "application/json; charset=utf-8", "image/png"),
    contentId: fc.option(fc.constantFrom("logo", "a.b@c")),
    disposition: fc.constantFrom("attachment" as const, "inline" as const),
    content: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  });
  return fc.record({
    ...{ emailId: fc.uuid(), projectId: fc.constant(""), projectNumber: fc.constant(1) },
    type: fc.constant("MARKETING" as const),
    from: address,
    to: address,
    replyTo: fc.option(address),
    subject: line,
    html: body,
    text: body,
    headers: fc.dictionary(fc.constantFrom("X-A", "x-b", "X-Order-ID"), line),
    attachments: fc.array(file, { maxLength: 4 }),
    date: fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }),
  });
}
