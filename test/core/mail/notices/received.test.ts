import { describe, expect, it } from "vitest";
import { receivedMail } from "../../../../src/core/mail/notices/received";
import { readPostmarkEvent, readPostmarkInbound } from "../../../../src/platform/mailer/postmark/notices";
import { readResendEvent, readResendReceived } from "../../../../src/platform/mailer/resend/notices";
import { readSesEvent, readSesReceived } from "../../../../src/platform/mailer/ses/notices";
import {
  type Incoming,
  postmarkNotice,
  postmarkReceived,
  resendNotice,
  resendReceived,
  sesNotice,
  sesReceived,
} from "../../../support/provider-notices";

const mail: Incoming = {
  id: "in-1",
  from: "Ada <Ada@Example.com>",
  delivered: ["help@acme.test"],
  to: ["Help@acme.test"],
};
const read = {
  receivedId: "in-1",
  from: "ada@example.com",
  delivered: ["help@acme.test"],
  written: ["help@acme.test"],
  isAutomatic: false,
};
const automatic = { headers: [{ name: "Auto-Submitted", value: "auto-replied" }] };

describe("a received mail", () => {
  it.each([
    ["SES", readSesReceived(sesReceived(mail))],
    ["Resend", readResendReceived(resendReceived(mail))],
    ["Postmark", readPostmarkInbound(postmarkReceived(mail))],
  ])("is read as %s documents it", (_, found) => {
    expect(found).toEqual(read);
  });

  it.each([
    ["SES", readSesReceived(sesReceived({ ...mail, ...automatic }))],
    ["Postmark", readPostmarkInbound(postmarkReceived({ ...mail, ...automatic }))],
  ])("says whether it was written by a program: %s", (_, found) => {
    expect(found).toEqual({ ...read, isAutomatic: true });
  });

  it("of SES that is not from whom it says is none", () => {
    expect(readSesReceived(sesReceived(mail, "FAIL"))).toBeNull();
    expect(readSesReceived(sesReceived(mail, "GRAY"))).toEqual(read);
  });

  const noticed = { tag: "p_e", messageId: "m-1", to: "ada@example.com" };
  it.each([
    ["SES", readSesReceived(sesNotice("hard", noticed)), readSesEvent(sesReceived(mail))],
    ["Resend", readResendReceived(resendNotice("hard", noticed)), readResendEvent(resendReceived(mail), "n")],
    ["Postmark", readPostmarkInbound(postmarkNotice("hard", noticed)), readPostmarkEvent(postmarkReceived(mail))],
  ])("is no report, and a report is no received mail: %s", (_, received, report) => {
    expect([received, report]).toEqual([null, null]);
  });
});

describe("the sender of a received mail", () => {
  it.each([
    ["ada@example.com", "ada@example.com"],
    [" Ada Lovelace <ADA@example.com> ", "ada@example.com"],
    ['"<eve@evil.test>" <ada@example.com>', "ada@example.com"],
    ["ada@example.com <eve@evil.test>", "eve@evil.test"],
    ["Ada <ada@bücher.example>", "ada@xn--bcher-kva.example"],
    ["Ada <ada@example.com", "ada@example.com"],
    ["Ada <>", null],
    ["undisclosed-recipients:;", null],
    ["ada@example.com, bob@example.com", null],
    ["ada@example.com\r\nBcc: bob@example.com", null],
    ["", null],
    [undefined, null],
    [`${"a".repeat(2_000)} <ada@example.com>`, null],
  ])("of %j is %j", (from, expected) => {
    expect(receivedMail({ id: "1", from })?.from ?? null).toBe(expected);
  });
});

it("takes at most a hundred recipients, each once, and no id that is too long", () => {
  const many = Array.from({ length: 500 }, (_, index) => `r${index}@acme.test`);
  expect(receivedMail({ id: "1", from: "a@b.test", written: many })?.written).toHaveLength(100);
  expect(
    receivedMail({ id: "1", from: "a@b.test", delivered: ["A@b.test", "a@B.test", null, "no"] })?.delivered,
  ).toEqual(["a@b.test"]);
  expect(receivedMail({ id: "x".repeat(201), from: "a@b.test" })).toBeNull();
  expect(receivedMail({ id: null, from: "a@b.test" })).toBeNull();
});
