import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Message } from "../../../../src/core/mail/message";
import { dotStuffed } from "../../../../src/core/mail/smtp/dot-stuffed";
import { smtpMailer } from "../../../../src/platform/mailer/smtp/send";
import { type SmtpSettings, smtpSettings } from "../../../../src/platform/mailer/smtp/settings";
import { type Answers, connectInNode, SmtpDouble } from "../../../support/smtp-double";

let double: SmtpDouble;
let port: number;
beforeEach(async () => {
  double = new SmtpDouble();
  port = await double.listen();
});
afterEach(() => double.close());

function settings(own: Partial<SmtpSettings> = {}): SmtpSettings {
  const login = { user: "petrel", password: "secret-that-must-never-show" };
  return { host: "127.0.0.1", port, security: "none", login, returnPath: null, ...own };
}

function message(to: string, own: Partial<Message> = {}): Message {
  return {
    emailId: "0199a0f2-6c8a-7a2e-8f10-1d2c3b4a5968",
    projectId: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e",
    projectNumber: 1,
    type: "TRANSACTIONAL",
    from: { email: "hi@acme.example", written: "hi@acme.example", name: "Acme" },
    to: { email: to, written: to, name: null },
    replyTo: null,
    subject: "Hello",
    html: "<p>Hello</p>",
    text: "Hello\n.a line with a dot",
    headers: {},
    attachments: [],
    date: new Date("2026-01-31T09:00:00Z"),
    ...own,
  };
}

const deliver = (messages: Message[], own: Partial<SmtpSettings> = {}) =>
  smtpMailer(settings(own), connectInNode).deliver(messages, "key");

describe("a relay", () => {
  it("gets mail after a sign-in, several of one connection, and its name for each is kept", async () => {
    const receipts = await deliver([message("a@example.com"), message("b@example.com")]);
    expect(receipts).toEqual([
      { kind: "accepted", providerMessageId: "4ZQK0001", reports: [] },
      { kind: "accepted", providerMessageId: "4ZQK0002", reports: [] },
    ]);
    expect(double.taken.map(({ from, to }) => [from, to])).toEqual([
      ["hi@acme.example", "a@example.com"],
      ["hi@acme.example", "b@example.com"],
    ]);
    expect(double.taken[0]?.data).toContain("\r\n.a line with a dot\r\n");
    expect(double.commands.filter((command) => /^EHLO|^AUTH|^RSET/.test(command))).toEqual([
      ...["EHLO acme.example", `AUTH PLAIN ${btoa("\0petrel\0secret-that-must-never-show")}`, "RSET"],
    ]);
  });

  it("may take AUTH LOGIN alone, and bounces may go elsewhere", async () => {
    double.abilities = ["AUTH=LOGIN"];
    const [receipt] = await deliver([message("a@example.com")], { returnPath: "bounces@acme.example" });
    expect(receipt).toMatchObject({ kind: "accepted" });
    expect(double.taken[0]?.from).toBe("bounces@acme.example");
    expect(double.commands).toEqual(expect.arrayContaining(["AUTH LOGIN", btoa("petrel")]));
  });

  it("gets nothing where it does not encrypt", async () => {
    const [receipt] = await deliver([message("a@example.com")], { security: "starttls" });
    expect(receipt).toEqual({ kind: "blocked", reason: "The SMTP server offers no STARTTLS" });
    expect(double.commands).toEqual(["EHLO acme.example"]);
  });
});

const at =
  (command: string, answer: string | null): Answers =>
  (given) =>
    given === command ? answer : undefined;

describe("an answer", () => {
  it.each<[string, Answers, string]>([
    ["421 to the greeting", at("GREETING", "421 Busy"), "unavailable"],
    ["554 to the greeting", at("GREETING", "554 No service"), "blocked"],
    ["535 to the sign-in", at("AUTH", "535 5.7.8 Wrong: secret-that-must-never-show"), "blocked"],
    ["454 to the sign-in", at("AUTH", "454 4.7.0 Later"), "unavailable"],
    ["530 to MAIL", at("MAIL", "530 5.7.0 Sign in first"), "blocked"],
    ["550 to MAIL", at("MAIL", "550 5.7.1 Not your domain"), "refused"],
    ["450 to RCPT", at("RCPT a@example.com", "450 4.2.0 Greylisted"), "busy"],
    ["550 to RCPT", at("RCPT a@example.com", "550 5.1.1 Nobody here"), "refused"],
    ["451 to the data", at("END", "451 4.3.0 Later"), "busy"],
    ["552 to the data", at("END", "552 5.3.4 Too large"), "refused"],
    ["421 to the data", at("END", "421 4.3.2 Shutting down"), "unavailable"],
    ["that closes the connection before the data", at("DATA", null), "unavailable"],
    ["that never comes after the data", at("END", null), "unknown"],
    ["that is no reply", at("MAIL", "hello"), "unavailable"],
  ])("%s says what became of the mail", async (_, answers, kind) => {
    double.answers = answers;
    const [receipt] = await deliver([message("a@example.com")]);
    expect(receipt?.kind).toBe(kind);
    expect(JSON.stringify(receipt)).not.toContain("secret-that-must-never-show");
  });

  it("that is lost leaves that mail unknown, and those behind it are tried again", async () => {
    let ends = 0;
    double.answers = (command) => {
      if (command === "END") ends += 1;
      // It is asked twice about each end.
      return command === "END" && ends > 2 ? null : undefined;
    };
    const receipts = await deliver(["a", "b", "c"].map((name) => message(`${name}@example.com`)));
    expect(receipts.map(({ kind }) => kind)).toEqual(["accepted", "unknown", "unavailable"]);
    expect(double.taken.map(({ to }) => to)).toEqual(["a@example.com", "b@example.com"]);
  });

  it("about one mail says nothing about the others", async () => {
    double.answers = at("RCPT b@example.com", "550 5.1.1 Nobody here");
    const receipts = await deliver(["a", "b", "c"].map((name) => message(`${name}@example.com`)));
    expect(receipts.map(({ kind }) => kind)).toEqual(["accepted", "refused", "accepted"]);
  });

  it("is not needed for what the relay says it does not take", async () => {
    double.abilities = ["SIZE 100", "AUTH PLAIN"];
    expect(await deliver([message("a@example.com")])).toMatchObject([{ kind: "refused" }]);
    double.abilities = ["AUTH PLAIN"];
    expect(await deliver([message("jürgen@example.com")])).toMatchObject([{ kind: "refused" }]);
    expect(double.commands.filter((command) => command.startsWith("MAIL"))).toEqual([]);
  });

  it("to nobody: a port on which no one listens leaves nothing unknown", async () => {
    await double.close();
    const [receipt] = await deliver([message("a@example.com")]);
    expect(receipt?.kind).toBe("unavailable");
    await double.listen();
  });
});

it.each([
  ["", "\r\n"],
  [".", "..\r\n"],
  ["a\r\n.b\r\n..c\r\n", "a\r\n..b\r\n...c\r\n"],
  ["a\n.b", "a\n.b\r\n"],
])("dots are stuffed: %j", (given, wanted) => {
  expect(new TextDecoder().decode(dotStuffed(new TextEncoder().encode(given)))).toBe(wanted);
});

describe("settings", () => {
  const read = (values: Record<string, string>) => {
    const parsed = Object.fromEntries(
      Object.entries(smtpSettings.settings).map(([name, schema]) => [name, schema.parse(values[name])]),
    );
    // Each value went through its own schema.
    return smtpSettings.read(parsed as Parameters<typeof smtpSettings.read>[0]);
  };

  it("are encrypted unless the relay is on this machine", () => {
    const login = { SMTP_USER: "u", SMTP_PASSWORD: "p" };
    expect(read({ SMTP_HOST: "relay.example", ...login })).toMatchObject({ port: 587, security: "starttls" });
    expect(read({ SMTP_HOST: "relay.example", SMTP_PORT: "465" })).toMatchObject({ security: "tls", login: null });
    expect(() => read({ SMTP_HOST: "relay.example", SMTP_SECURITY: "none" })).toThrow(
      "only for a relay on this machine",
    );
    expect(() => read({ SMTP_HOST: "relay.example", SMTP_PORT: "25" })).toThrow("Workers may not connect to port 25");
    expect(() => read({ SMTP_HOST: "relay.example", SMTP_USER: "u" })).toThrow("set both, or neither");
    expect(read({})).toBeNull();
  });
});
