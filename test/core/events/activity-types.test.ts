import { describe, expect, it } from "vitest";
import { activityTypeOf, activityTypes, namesOfTypes, segmentOfEvent } from "../../../src/core/events/activity-types";
import { isReservedEvent } from "../../../src/core/events/names";

describe("the type of an activity", () => {
  it.each([
    ["email.sent", "email.sent"],
    ["email.received", "email.received"],
    ["contact.topic_left", "contact.topic_left"],
    ["webhook.disabled", "webhook.disabled"],
    ["segment.vip.entry", "segment.entry"],
    ["segment.a.b.exit", "segment.exit"],
    ["purchase", "event.triggered"],
    // A caller may call its events so.
    ["event.triggered", "event.triggered"],
    ["segment.entry", "event.triggered"],
    ["segment..entry", "event.triggered"],
    ["Email.sent", "event.triggered"],
  ])("of %s is %s", (name, type) => {
    expect(activityTypeOf(name)).toBe(type);
  });

  it("is event.triggered of no name that the service reserves", () => {
    const names = activityTypes.filter((type) => isReservedEvent(type));
    expect(names.map(activityTypeOf)).toEqual(names);
    const others = activityTypes.filter((type) => !isReservedEvent(type));
    expect(others).toEqual(["event.triggered", "segment.entry", "segment.exit"]);
  });

  it("has the names of its events, as SQL looks for them", () => {
    expect(namesOfTypes(["email.sent", "segment.entry"])).toEqual({
      exact: ["email.sent"],
      patterns: ["segment.?*.entry"],
      areCallers: false,
    });
    expect(namesOfTypes(["event.triggered"])).toEqual({ exact: [], patterns: [], areCallers: true });
  });

  it("of a segment's event comes with the segment", () => {
    expect([segmentOfEvent("segment.vip.entry"), segmentOfEvent("purchase")]).toEqual(["vip", null]);
  });
});
