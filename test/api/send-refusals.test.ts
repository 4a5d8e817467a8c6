import { describe, expect, it } from "vitest";
import { effects, expectEffects, noEffects } from "../support/effects";
import { admin, bearer, call, newProject } from "../support/project";
import { expectInvalid, expectRefusal } from "../support/refusal";
import { emailIds } from "../support/send-and-wait";

type Fields = Record<string, unknown>;

const headers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-Header-${index}`, `${index}`]));
const addresses = (count: number) => Array.from({ length: count }, (_, index) => `r${index}@example.com`);

const refused: [rule: string, fields: Fields, field: string, code: string][] = [
  ["no recipient", { to: undefined }, "to", "required"],
  ["null for a recipient", { to: null }, "to", "invalid_type"],
  ["a number for a recipient", { to: 42 }, "to", "invalid_type"],
  ["an empty recipient", { to: "" }, "to", "invalid_string"],
  ["a recipient that is no address", { to: "nope" }, "to", "invalid_string"],
  ["a recipient in header form", { to: "Ada <ada@example.com>" }, "to", "invalid_string"],
  ["two recipients in one string", { to: "ada@example.com, bob@example.com" }, "to", "invalid_string"],
  ["a recipient with a line break", { to: "ada@example.com\r\nBcc: eve@example.com" }, "to", "invalid_string"],
  ["an empty list of recipients", { to: [] }, "to", "too_small"],
  ["501 recipients", { to: addresses(501) }, "to", "too_big"],
  ["one bad recipient among good ones", { to: ["ada@example.com", "nope"] }, "to.1", "invalid_string"],
  ["a list in the list of recipients", { to: [["ada@example.com"]] }, "to.0", "invalid_type"],
  ["a recipient with a name and no email", { to: { name: "Ada" } }, "to.email", "required"],
  ["a listed recipient with a name and no email", { to: [{ name: "Ada" }] }, "to.0.email", "required"],
  ["a recipient whose email is a number", { to: { email: 42 } }, "to.email", "invalid_type"],
  [
    "a recipient's name with CR LF",
    { to: { name: "A\r\nBcc: e@x.com", email: "a@b.com" } },
    "to.name",
    "invalid_string",
  ],
  ["a recipient's name with LF", { to: { name: "A\nB", email: "a@b.com" } }, "to.name", "invalid_string"],
  ["a recipient's name that is a number", { to: { name: 42, email: "a@b.com" } }, "to.name", "invalid_type"],
  ["no sender", { from: undefined }, "from", "required"],
  ["a sender that is no address", { from: "nope" }, "from", "invalid_string"],
  ["a sender with a name and no email", { from: { name: "Acme" } }, "from.email", "required"],
  ["a sender's name with a line break", { from: { name: "A\r\nB", email: "a@b.test" } }, "from.name", "invalid_string"],
  ["a list of senders", { from: ["a@b.test"] }, "from", "invalid_type"],
  ["a sender name that is a number", { name: 42 }, "name", "invalid_type"],
  ["a sender name with a line break", { name: "A\nB" }, "name", "invalid_string"],
  ["no subject", { subject: undefined }, "subject", "required"],
  ["null for a subject", { subject: null }, "subject", "invalid_type"],
  ["an empty subject", { subject: "" }, "subject", "too_small"],
  ["a subject of 999 characters", { subject: "s".repeat(999) }, "subject", "too_big"],
  ["LF in a subject", { subject: "Hello\nthere" }, "subject", "invalid_string"],
  ["CR in a subject", { subject: "Hello\rthere" }, "subject", "invalid_string"],
  ["a header smuggled into a subject", { subject: "Hello\r\nBcc: eve@example.com" }, "subject", "invalid_string"],
  ["a line break at the end of a subject", { subject: "Hello\n" }, "subject", "invalid_string"],
  ["no body", { body: undefined }, "body", "required"],
  ["an empty body", { body: "" }, "body", "too_small"],
  ["a body that is an object", { body: { html: "<p>" } }, "body", "invalid_type"],
  ["a body of 2,000,001 characters", { body: "b".repeat(2_000_001) }, "body", "too_big"],
  ["a word for subscribed", { subscribed: "no" }, "subscribed", "invalid_type"],
  ["a number for subscribed", { subscribed: 1 }, "subscribed", "invalid_type"],
  ["a reply address that is none", { reply: "nope" }, "reply", "invalid_string"],
  ["a reply address with a line break", { reply: "a@b.com\r\nX: y" }, "reply", "invalid_string"],
  ["a reply address that is an object", { reply: { email: "a@b.com" } }, "reply", "invalid_type"],
  ["a list of headers", { headers: [] }, "headers", "invalid_type"],
  ["a string of headers", { headers: "X-A: 1" }, "headers", "invalid_type"],
  ["51 headers", { headers: headers(51) }, "headers", "too_big"],
  ["a header value of 999 characters", { headers: { "X-A": "v".repeat(999) } }, "headers.X-A", "too_big"],
  ["LF in a header value", { headers: { "X-A": "a\nBcc: eve@example.com" } }, "headers.X-A", "invalid_string"],
  ["CR in a header value", { headers: { "X-A": "a\rb" } }, "headers.X-A", "invalid_string"],
  ["a header value that is a number", { headers: { "X-A": 1 } }, "headers.X-A", "invalid_type"],
  ["a header value that is null", { headers: { "X-A": null } }, "headers.X-A", "invalid_type"],
  ["CR LF in a header name", { headers: { "X-A\r\nBcc": "e@x.com" } }, "headers.X-A\r\nBcc", "invalid_string"],
  ["LF in a header name", { headers: { "X-A\n": "1" } }, "headers.X-A\n", "invalid_string"],
  ["CR in a header name", { headers: { "X\rA": "1" } }, "headers.X\rA", "invalid_string"],
  ["a colon in a header name", { headers: { "Bcc:": "e@x.com" } }, "headers.Bcc:", "invalid_string"],
  ["a blank in a header name", { headers: { "Bcc ": "e@x.com" } }, "headers.Bcc ", "invalid_string"],
  ["an empty header name", { headers: { "": "1" } }, "headers.", "invalid_string"],
  ["data that is a list", { data: ["a"] }, "data", "invalid_type"],
  ["data that is a string", { data: "a" }, "data", "invalid_type"],
  ["data that is null", { data: null }, "data", "invalid_type"],
  ["a data key of 129 characters", { data: { ["k".repeat(129)]: 1 } }, `data.${"k".repeat(129)}`, "too_big"],
  ["data over 64 KB", { data: { a: "x".repeat(65_536 - 7) } }, "data", "too_big"],
  ["data over 64 KB in UTF-8", { data: { a: "é".repeat(32_765) } }, "data", "too_big"],
  ["a locale that is a number", { data: { locale: 42 } }, "data.locale", "invalid_type"],
  ["a locale that is a boolean", { data: { locale: true } }, "data.locale", "invalid_type"],
  ["a locale that is a list", { data: { locale: ["en"] } }, "data.locale", "invalid_type"],
  [
    "a locale for this send only that is a number",
    { data: { locale: { value: 1, persistent: false } } },
    "data.locale",
    "invalid_type",
  ],
  ["a locale that is an object", { data: { locale: { value: "en" } } }, "data.locale", "invalid_type"],
];

const forbiddenNames = [
  "From",
  "fRoM",
  "TO",
  "to",
  "sUBJECT",
  "DATE",
  "message-id",
  "Message-ID",
  "MIME-VERSION",
  "mime-version",
  "Content-Type",
  "cOnTeNt-TrAnSfEr-EnCoDiNg",
  "CONTENT-DISPOSITION",
  "content-id",
  "Content-X-Anything",
  "dkim-signature",
  "DKIM-Signature",
  "RECEIVED",
  "return-path",
  "bcc",
  "BCC",
  "cc",
  "Cc",
  "sEnDeR",
];

describe("what breaks a rule is a 422 that names the field, and has no effect at all", () => {
  it.each(refused)("refuses %s", async (_, fields, field, code) => {
    const project = await newProject();
    expectInvalid(await project.api.send(fields), field, code);
    await expectEffects(project, noEffects);
  });

  it.each(forbiddenNames)("refuses the header %s, which is ours to write", async (name) => {
    const project = await newProject();
    expectInvalid(
      await project.api.send({ headers: { "X-Fine": "1", [name]: "eve@example.com" } }),
      `headers.${name}`,
      "custom",
    );
    await expectEffects(project, noEffects);
  });

  it("names every fault of a call at once", async () => {
    const project = await newProject();
    const { body } = await project.api.send({ to: ["nope", "ada@example.com", 42], subject: "", reply: "nope" });
    const fields = body.error.errors.map((fault: { field: string }) => fault.field);
    expect(fields.toSorted()).toEqual(["reply", "subject", "to.0", "to.2"]);
  });

  it("shows the value it refused, but not a long one", async () => {
    const project = await newProject();
    const { body } = await project.api.send({ to: "nope", subject: "s".repeat(999) });
    const [to, subject] = body.error.errors;
    expect(to).toMatchObject({ field: "to", received: "nope" });
    expect(subject).not.toHaveProperty("received");
  });
});

const accepted: [rule: string, fields: Fields][] = [
  ["a subject of 998 characters", { subject: "s".repeat(998) }],
  ["a subject of one character", { subject: "s" }],
  ["a body of one character", { body: "b" }],
  ["50 headers", { headers: headers(50) }],
  ["no header at all", { headers: {} }],
  ["a header value of 998 characters", { headers: { "X-A": "v".repeat(998) } }],
  ["an empty header value", { headers: { "X-A": "" } }],
  ["a data key of 128 characters", { data: { ["k".repeat(128)]: 1 } }],
  ["data of 64 KB", { data: { a: "x".repeat(65_536 - 8) } }],
  ["null for everything optional but data", { name: null, subscribed: null, headers: null, reply: null }],
  ["null for a recipient's name", { to: { name: null, email: "ada@example.com" } }],
  ["an address with blanks around it", { to: "  ada@example.com " }],
  ["fields nobody knows", { colour: "blue" }],
  ["an empty locale", { data: { locale: "" } }],
  ["null for the locale", { data: { locale: null } }],
  ["a locale for this send only", { data: { locale: { value: "nl", persistent: false } } }],
];

describe("what keeps to a rule just so", () => {
  it.each(accepted)("takes %s", async (_, fields) => {
    const project = await newProject();
    emailIds(await project.api.send(fields));
    expect(await effects(project)).toMatchObject({ contacts: 1, emails: 1, email_contents: 1 });
  });
});

const badLiquid: [what: string, field: "subject" | "body", source: string, place: string][] = [
  ["an unknown filter", "body", "<p>\n{{ name | nosuchfilter }}</p>", "line 2"],
  ["an unknown tag", "body", "<p>Hi\n\n  {% nosuchtag %}", "line 3, column 3"],
  ["a block that is not closed", "body", "<p>{% if a %}yes", "line 1, column 4"],
  ["an output that is not closed", "body", "Hello {{ name", "line 1, column 7"],
  ["a fallback to nothing", "body", "{{ name ?? }}", "line 1"],
  ["a file tag", "body", "{% include 'secrets' %}", "line 1, column 1"],
  [
    "a placeholder of over 1,000 characters",
    "body",
    `<p>\n{{ ${"a".repeat(1_001)} }}</p>`,
    "separate names (line 2, column 1)",
  ],
  ["an unknown filter in the subject", "subject", "Hi {{ name | nosuchfilter }}", "line 1"],
];

describe("Liquid that does not parse", () => {
  it.each(badLiquid)("refuses %s with its line and column", async (_, field, source, place) => {
    const project = await newProject();
    const answer = await project.api.send({ [field]: source });
    expectInvalid(answer, field, "custom");
    const { message } = answer.body.error.errors[0];
    expect(message).toContain(place);
    expect(message.match(/\(line \d+, column \d+\)/g)).toHaveLength(1);
    await expectEffects(project, noEffects);
  });

  it("leaves braces that are no Liquid alone", async () => {
    const project = await newProject();
    emailIds(await project.api.send({ subject: "{ a } and }}", body: "<style>a{b:c}</style> %} }}" }));
  });
});

describe("the sender's domain", () => {
  const unverified = (project: { domain: string }) => ({
    details: { reason: "domain_not_verified", domain: project.domain },
  });

  it.each([
    ["a domain nobody registered", () => "hello@unregistered.test"],
    ["a subdomain of a verified domain", (domain: string) => `hello@mail.${domain}`],
    ["a domain that ends like a verified one", (domain: string) => `hello@evil${domain}`],
    ["a domain above a verified one", (domain: string) => `hello@${domain.split(".").slice(1).join(".")}.test`],
  ])("may not be %s", async (_, from) => {
    const project = await newProject();
    const answer = await project.api.send({ from: from(project.domain) });
    const domain = from(project.domain).split("@")[1];
    expectRefusal(answer, 403, "INTERNAL_SERVER_ERROR", { details: { reason: "domain_not_verified", domain } });
    expect(answer.body.error.suggestion).toBeTruthy();
    await expectEffects(project, noEffects);
  });

  it("may not be one that is registered and not verified", async () => {
    const project = await newProject();
    const added = await project.api.post("/domains", { domain: "not-verified.com" });
    expect(added.body.verified).toBe(false);
    const answer = await project.api.send({ from: "hello@not-verified.com" });
    expectRefusal(answer, 403, "INTERNAL_SERVER_ERROR", unverified({ domain: "not-verified.com" }));
    await expectEffects(project, noEffects);
  });

  it("may not be verified in another project", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const answer = await project.api.send({ from: `hello@${other.domain}` });
    expectRefusal(answer, 403, "INTERNAL_SERVER_ERROR", unverified(other));
    await expectEffects(project, noEffects);
    await expectEffects(other, noEffects);
  });

  it("is refused with a large body too, and the body is not kept", async () => {
    const project = await newProject();
    const answer = await project.api.send({ from: "hello@unregistered.test", body: "b".repeat(100_000) });
    expect(answer.status).toBe(403);
    await expectEffects(project, noEffects);
  });

  it.each(["HELLO@", "Hello+tag@"])("is found in any case: %s", async (mailbox) => {
    const project = await newProject();
    emailIds(await project.api.send({ from: `${mailbox}${project.domain.toUpperCase()}` }));
  });
});

describe("a call that is refused leaves what is there untouched", () => {
  it("changes no contact, type or event when one recipient of three is bad", async () => {
    const project = await newProject();
    emailIds(await project.api.send({ to: ["ada@example.com", "bob@example.com"], data: { plan: "free" } }));
    await project.api.post("/contacts", { email: "cyd@example.com" });
    const before = await effects(project);
    const answer = await project.api.send({
      to: ["ada@example.com", "new@example.com", "nope"],
      subscribed: true,
      data: { plan: "pro", seats: 3 },
    });
    expectInvalid(answer, "to.2", "invalid_string");
    // The first two mails may be delivered meanwhile, which only adds to the events.
    const { events: _, ...rest } = before;
    await expectEffects(project, { ...rest, events: expect.any(Number) });
  });
});

describe("a disabled project", () => {
  it("sends nothing, says so, and can still be read", async () => {
    const project = await newProject();
    const sent = await project.api.send();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    const before = await effects(project);
    expectRefusal(await project.api.send({ to: "new@example.com", subscribed: true }), 403, "PROJECT_DISABLED");
    expect(await effects(project)).toMatchObject({ contacts: before.contacts, emails: before.emails });
    expect((await project.api.get(`/emails/${emailIds(sent)[0]}`)).status).toBe(200);
  });

  it("sends again once it is enabled", async () => {
    const project = await newProject();
    await admin.patch(`/admin/projects/${project.id}`, { disabled: true });
    expectRefusal(await project.api.send(), 403, "PROJECT_DISABLED");
    await admin.patch(`/admin/projects/${project.id}`, { disabled: false });
    emailIds(await project.api.send());
  });
});

describe("the key", () => {
  it.each([
    ["no key", () => ({})],
    ["a public key", (keys: { public: string }) => bearer(keys.public)],
    ["a key that was never made", () => bearer(`sk_${"0".repeat(64)}`)],
  ])("refuses %s and has no effect", async (_, headers) => {
    const project = await newProject();
    const body = { to: "a@b.com", from: `a@${project.domain}`, subject: "s", body: "b" };
    expectRefusal(await call("POST", "/v1/send", body, headers(project.keys)), 401, "INVALID_API_KEY");
    await expectEffects(project, noEffects);
  });
});
