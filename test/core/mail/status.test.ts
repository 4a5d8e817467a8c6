import { describe, expect, it } from "vitest";
import { type EmailStatus, emailStatuses, movedBy, type Report } from "../../../src/core/mail/status";

type Kind = Report["kind"];

/** What an email is after a report, said twice over: the table in the source, and this one. */
const afterReport: Record<EmailStatus, Record<Kind, EmailStatus>> = {
  // A first try that was lost may be reported on while the mail waits for its second.
  QUEUED: { delivered: "DELIVERED", bounced: "BOUNCED", complained: "COMPLAINED" },
  SENDING: { delivered: "DELIVERED", bounced: "BOUNCED", complained: "COMPLAINED" },
  SENT: { delivered: "DELIVERED", bounced: "BOUNCED", complained: "COMPLAINED" },
  DELIVERED: { delivered: "DELIVERED", bounced: "BOUNCED", complained: "COMPLAINED" },
  // Somebody read it: a bounce that comes now is of something else, a complaint is not.
  OPENED: { delivered: "OPENED", bounced: "OPENED", complained: "COMPLAINED" },
  CLICKED: { delivered: "CLICKED", bounced: "CLICKED", complained: "COMPLAINED" },
  BOUNCED: { delivered: "BOUNCED", bounced: "BOUNCED", complained: "BOUNCED" },
  COMPLAINED: { delivered: "COMPLAINED", bounced: "COMPLAINED", complained: "COMPLAINED" },
  FAILED: { delivered: "FAILED", bounced: "FAILED", complained: "FAILED" },
  SUPPRESSED: { delivered: "SUPPRESSED", bounced: "SUPPRESSED", complained: "SUPPRESSED" },
  CANCELLED: { delivered: "CANCELLED", bounced: "CANCELLED", complained: "CANCELLED" },
  // The provider settles what our own record lost.
  UNKNOWN: { delivered: "DELIVERED", bounced: "BOUNCED", complained: "COMPLAINED" },
};

const kinds: Kind[] = ["delivered", "bounced", "complained"];
const moved = (status: EmailStatus, kind: Kind) => (movedBy[kind].from.includes(status) ? movedBy[kind].to : status);

describe.each(emailStatuses)("%s", (status) => {
  it.each(kinds)("when it is reported %s", (kind) => {
    expect(moved(status, kind)).toBe(afterReport[status][kind]);
  });
});

it.each(kinds)("a repeated report changes nothing: %s", (kind) => {
  for (const status of emailStatuses) expect(moved(moved(status, kind), kind)).toBe(moved(status, kind));
});

it("no report moves an email backwards, whatever came before it", () => {
  const rank: EmailStatus[] = [
    "UNKNOWN",
    "QUEUED",
    "SENDING",
    "SENT",
    "DELIVERED",
    "OPENED",
    "CLICKED",
    "BOUNCED",
    "COMPLAINED",
  ];
  for (const status of rank) {
    for (const kind of kinds) expect(rank.indexOf(moved(status, kind))).toBeGreaterThanOrEqual(rank.indexOf(status));
  }
});

it.each<EmailStatus>(["BOUNCED", "COMPLAINED"])("%s is final", (status) => {
  for (const kind of kinds) expect(moved(status, kind)).toBe(status);
});

it("names the twelve statuses once each", () => {
  expect(new Set(emailStatuses).size).toBe(12);
  expect(emailStatuses).toHaveLength(12);
});
