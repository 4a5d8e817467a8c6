import { describe, expect, it } from "vitest";
import { newId } from "../../src/core/ids";
import { QueueMessage, type QueueName, queueOf } from "../../src/core/messages";
import { sentMessages, withLaterField } from "../support/sent-messages";

const queues: QueueName[] = ["mail", "campaign-mail", "events", "outbound", "jobs"];
const types = QueueMessage.options.map((option) => option.shape.type.value);

it.each(types)("%s has one of the five queues", (type) => {
  expect(queues).toContain(queueOf[type]);
});

it("has no queue for a type that does not exist", () => {
  expect(Object.keys(queueOf).toSorted()).toEqual(types.toSorted());
});

it.each<[queue: QueueName, type: QueueMessage["type"]]>([
  ["mail", "mail.deliver"],
  ["jobs", "domains.check"],
  ["jobs", "project.erase"],
])("the queue %s takes %s", (queue, type) => {
  expect(queueOf[type]).toBe(queue);
});

describe("a message", () => {
  it.each<[what: string, job: QueueMessage]>([
    ["about emails", { type: "mail.deliver", projectId: 1, priority: 0, emailIds: [newId(), newId()] }],
    [
      "about emails that come again",
      { type: "mail.deliver", projectId: 1, priority: 0, emailIds: [newId()], again: true },
    ],
    ["about domains", { type: "domains.check", domains: [{ projectId: 1, domainId: newId() }] }],
    ["about a project", { type: "project.erase", projectId: 1, jobId: newId() }],
  ])("%s is read as it was written", (_, job) => {
    expect(QueueMessage.parse(JSON.parse(JSON.stringify(job)))).toEqual(job);
  });

  it.each<[what: string, message: unknown]>([
    ["of an unknown type", { type: "mail.shred", projectId: 1, emailIds: [] }],
    ["whose type is a name every object has", { type: "constructor", projectId: 1 }],
    ["without a type", { projectId: 1, emailIds: [] }],
    ["without its project", { type: "mail.deliver", emailIds: ["e1"] }],
    ["without its ids", { type: "mail.deliver", projectId: 1 }],
    ["with an id that is no string", { type: "mail.deliver", projectId: 1, priority: 0, emailIds: [1] }],
    ["with the fields of another type", { type: "project.erase", projectId: 1, emailIds: ["e1"] }],
    ["that is a text", '{"type":"mail.deliver"}'],
    ["that is nothing", null],
    ["that is a list", []],
  ])("%s is refused", (_, message) => {
    expect(QueueMessage.safeParse(message).success).toBe(false);
  });
});

describe("two versions side by side", () => {
  it.each(types)("%s of the version that is out is understood, with all its fields", (type) => {
    expect(QueueMessage.parse(sentMessages[type])).toEqual(sentMessages[type]);
  });

  it.each(types)("%s with a field that is not known is refused, wherever the field is", (type) => {
    for (const message of withLaterField(sentMessages[type])) {
      expect([message, QueueMessage.safeParse(message).success]).toEqual([message, false]);
    }
  });
});
