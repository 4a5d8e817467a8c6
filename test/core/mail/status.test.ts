import { describe, expect, it } from "vitest";
import {
  type EmailStatus,
  emailStatuses,
  endsTrust,
  type Meaning,
  meaningOf,
  meanings,
  movedBy,
} from "../../../src/core/mail/status";

/** What an email is after a report, said twice over: the table in the source, and this one. */
const afterReport: Record<EmailStatus, Partial<Record<Meaning, EmailStatus>>> = {
  // A first try that was lost may be reported on while the mail waits for its second.
  QUEUED: { delivered: "DELIVERED", "gave up": "BOUNCED", hard: "BOUNCED", complained: "COMPLAINED" },
  SENDING: { delivered: "DELIVERED", "gave up": "BOUNCED", hard: "BOUNCED", complained: "COMPLAINED" },
  SENT: { delivered: "DELIVERED", "gave up": "BOUNCED", hard: "BOUNCED", complained: "COMPLAINED" },
  // The mailbox has it: a soft bounce that comes now is an answer.
  DELIVERED: { hard: "BOUNCED", complained: "COMPLAINED" },
  // Somebody read it: a bounce that comes now is of something else, a complaint is not.
  OPENED: { complained: "COMPLAINED" },
  CLICKED: { complained: "COMPLAINED" },
  BOUNCED: {},
  COMPLAINED: {},
  FAILED: {},
  SUPPRESSED: {},
  CANCELLED: {},
  // The provider settles what our own record lost.
  UNKNOWN: { delivered: "DELIVERED", "gave up": "BOUNCED", hard: "BOUNCED", complained: "COMPLAINED" },
};

function moved(status: EmailStatus, meaning: Meaning): EmailStatus {
  const { from, to } = movedBy[meaning];
  return from.includes(status) && to !== null ? to : status;
}

describe.each(emailStatuses)("%s", (status) => {
  it.each(meanings)("after a report that means %s", (meaning) => {
    expect(moved(status, meaning)).toBe(afterReport[status][meaning] ?? status);
  });
});

it("tells the meaning of a report", () => {
  const bounced = { kind: "bounced", reason: "x" } as const;
  expect(meaningOf({ kind: "delivered" })).toBe("delivered");
  expect(meaningOf({ kind: "complained" })).toBe("complained");
  expect(meaningOf({ ...bounced, bounceType: "hard" })).toBe("hard");
  expect(meaningOf({ ...bounced, bounceType: "soft" })).toBe("gave up");
  expect(meaningOf({ ...bounced, bounceType: "soft", isTransient: true })).toBe("transient");
});

it("no more mail goes out after a hard bounce and a complaint alone", () => {
  expect(meanings.filter(endsTrust)).toEqual(["hard", "complained"]);
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
    for (const meaning of meanings) {
      expect(rank.indexOf(moved(status, meaning))).toBeGreaterThanOrEqual(rank.indexOf(status));
    }
  }
});

it.each<EmailStatus>(["BOUNCED", "COMPLAINED"])("%s is final", (status) => {
  for (const meaning of meanings) expect(moved(status, meaning)).toBe(status);
});

it("names the twelve statuses once each", () => {
  expect(new Set(emailStatuses).size).toBe(12);
  expect(emailStatuses).toHaveLength(12);
});
