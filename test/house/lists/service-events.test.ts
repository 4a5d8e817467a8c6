import { expect, it, vi } from "vitest";

const made = vi.hoisted(() => ({
  "email.replied": {
    ...{ when: "its recipient replied", isOfEmail: true, causedBy: "SEND_EMAIL", fields: ["sentiment"] },
    ...{ column: "replied", columnMeans: "Every reply." },
  },
  "invoice.paid": { when: "an invoice was paid", hasNoContact: true },
}));

// Two events that the service does not have. All that says something of events has to know them by the list alone.
vi.mock("../../../src/core/events/service-events", async (original) => {
  const actual = await original<typeof import("../../../src/core/events/service-events")>();
  return { ...actual, serviceEvents: { ...actual.serviceEvents, ...made } };
});

const [names, types, webhooks, workflows, circles, activity, guide, emailEvents] = await Promise.all([
  import("../../../src/core/events/names"),
  import("../../../src/core/events/activity-types"),
  import("../../../src/core/webhooks/event-names"),
  import("../../../src/core/workflows/event-name"),
  import("../../../src/core/workflows/circles"),
  import("../../../src/features/activity/schema"),
  import("../../../src/http/guide"),
  import("../../../src/engine/events/email-events"),
]);

it("an event that is added to the list is reserved, and the document says so", () => {
  expect(names.isReservedEvent("invoice.paid")).toBe(true);
  expect(names.EventName.safeParse("invoice.paid").success).toBe(false);
  expect(names.EventName.meta()?.description).toContain("`webhook.disabled`, `invoice.paid`");
  expect(guide.guide("https://petrel.example", { readsCopies: false })).toContain(
    "| `email.replied` | Its recipient replied |",
  );
});

it("is a type of activity, in the filter, the answer and the error", () => {
  expect(types.activityTypes).toContain("email.replied");
  expect(types.activityTypeOf("invoice.paid")).toBe("invoice.paid");
  expect(activity.ActivityFilters.parse({ types: "email.replied" }).types).toEqual(["email.replied"]);
  const refused = activity.ActivityFilters.safeParse({ types: "nope" });
  expect(refused.error?.issues[0]?.message).toContain("email.replied");
});

it("has its column in the statistics", () => {
  const { totals } = activity.ActivityStats.shape;
  expect(Object.keys(totals.shape)).toContain("replied");
  expect(Reflect.get(totals.shape, "replied").meta().description).toBe("Every reply.");
});

it("is listened for by webhooks, and by workflows if it belongs to a contact", () => {
  expect(webhooks.listenedNameFault("email.replied")).toBeNull();
  expect(webhooks.listenedNameFault("email.nope")).toContain("email.replied");
  expect(workflows.AwaitedName.safeParse("email.replied").success).toBe(true);
  const refused = workflows.AwaitedName.safeParse("invoice.paid");
  expect(refused.error?.issues[0]?.message).toBe("invoice.paid belongs to no contact, so no workflow can use it");
});

it("closes a circle if a step causes it, and is read with its email", () => {
  expect(circles.causedBy("SEND_EMAIL", null)).toContain("email.replied");
  expect(circles.causable).not.toContain("invoice.paid");
  expect(emailEvents.emailEventNames).toContain("email.replied");
  expect(emailEvents.emailEventNames).not.toContain("invoice.paid");
});
