import { expect, it } from "vitest";
import { Names } from "../../clients/cli/src/files/names";
import { canonical, documentOf, readDocument } from "../../clients/cli/src/files/workflow-doc";

const [mail, pro, step] = ["11111111", "22222222", "33333333"].map((part) => `${part}-0000-7000-8000-000000000000`);
const names = new Names();
names.add("template", "Welcome", mail ?? "");
names.add("segment", "On pro", pro ?? "");

const place = { position: { x: 0, y: 0 } };
const server = {
  version: 3,
  name: "Onboarding",
  description: null,
  triggerType: "SCHEDULE" as const,
  triggerConfig: { cron: "0 9 * * MON", segmentId: pro ?? "" },
  allowReentry: false,
  enabled: true,
  steps: [
    {
      key: "welcome",
      type: "SEND_EMAIL" as const,
      name: "SEND_EMAIL",
      config: { templateId: mail ?? "" },
      templateId: mail ?? "",
      ...place,
    },
    { key: step ?? "", type: "EXIT" as const, name: "The end", config: {}, templateId: null, ...place },
  ],
  transitions: [{ from: "welcome", to: step ?? "", branch: null, priority: 0 }],
};

it("has names where the service has ids, and says nothing that goes without saying", () => {
  const { doc, keys } = readDocument(server, names, {});
  expect(doc).toEqual({
    name: "Onboarding",
    enabled: true,
    triggerType: "SCHEDULE",
    triggerConfig: { cron: "0 9 * * MON", segment: "On pro" },
    steps: [
      { key: "welcome", type: "SEND_EMAIL", template: "Welcome" },
      { key: "the-end", type: "EXIT", name: "The end" },
    ],
    transitions: [{ from: "welcome", to: "the-end" }],
  });
  expect(keys).toEqual({ "the-end": step });
  // A step that is named anew there keeps what its file calls it.
  const renamed = { ...server, steps: server.steps.map((one) => ({ ...one, name: "Another" })) };
  expect(readDocument(renamed, names, keys).keys).toEqual(keys);
  expect(documentOf(doc, names, "a.yaml", keys)).toMatchObject({
    triggerConfig: { cron: "0 9 * * MON", segmentId: pro },
    steps: [
      { key: "welcome", templateId: mail },
      { key: step, name: "The end" },
    ],
    transitions: [{ from: "welcome", to: step }],
  });
});

it("takes the event's name where it stands, and keeps what public events may not do", () => {
  const short = canonical({ name: "A", eventName: "signup" });
  expect(
    canonical({ name: "A", triggerType: "EVENT", triggerConfig: { eventName: "signup", publicEvents: true } }),
  ).toEqual(short);
  const closed = canonical({ name: "A", eventName: "signup", triggerConfig: { publicEvents: false } });
  expect(closed.triggerConfig).toEqual({ eventName: "signup", publicEvents: false });
  expect(documentOf(closed, names, "a.yaml", {}).triggerConfig).toEqual({ eventName: "signup", publicEvents: false });
});
