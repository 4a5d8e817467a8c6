import { describe, expect, it } from "vitest";
import { EventName, isReservedEvent } from "../../../src/core/events/names";

const fault = (name: unknown) => {
  const { error } = EventName.safeParse(name);
  return error?.issues.map((issue) => (issue.code === "custom" ? issue.params?.code : issue.code));
};

describe("an event's name", () => {
  it.each([
    ["email.opened"],
    ["email."],
    ["contact.subscribed"],
    ["contact.unsubscribed"],
    ["contact.confirmed"],
    ["contact.topic_joined"],
    ["contact.topic_left"],
    ["webhook.disabled"],
    ["segment.vip.entry"],
    ["segment.vip.exit"],
    ["segment.a.b.exit"],
  ])("%s is the service's own", (name) => {
    expect(isReservedEvent(name)).toBe(true);
    expect(fault(name)).toEqual(["reserved_event"]);
  });

  it.each([
    ["purchase"],
    ["Email.opened"],
    ["emailed"],
    ["email"],
    ["my email.opened"],
    ["contact.created"],
    ["contact.subscribed "],
    ["segment.vip"],
    ["segment.vip.entry.late"],
    ["segments.vip.entry"],
    ["a/b?c#d%2F e"],
    ["Käufe 🎉"],
    ["*"],
    ["..."],
    [" padded "],
    ["e".repeat(255)],
  ])("may be %j, kept as it is", (name) => {
    expect(isReservedEvent(name)).toBe(false);
    expect(EventName.parse(name)).toBe(name);
  });

  it.each([
    ["", "too_small"],
    ["e".repeat(256), "too_big"],
    ["  ", "invalid_string"],
    [".", "invalid_string"],
    ["..", "invalid_string"],
    ["a\nb", "invalid_string"],
    ["a\u0000", "invalid_string"],
    ["a\u0085b", "invalid_string"],
    ["a\u2028b", "invalid_string"],
    ["a\ud800", "invalid_string"],
    [5, "invalid_type"],
    [null, "invalid_type"],
  ])("may not be %j: %s", (name, code) => {
    expect(fault(name)).toEqual([code]);
  });
});
