import { expect, it } from "vitest";
import { newId } from "../../../src/core/ids";
import { mergeMessages } from "../../../src/core/mail/merge-messages";
import type { QueueMessage } from "../../../src/core/messages";

const [a, b, c] = [newId(), newId(), newId()];
const mail = (projectId: number, emailIds: (typeof a)[], priority: 0 | 1 = 0): QueueMessage => ({
  ...{ type: "mail.deliver", projectId, priority, emailIds },
});
const merged = (...messages: [QueueMessage, isAgain?: boolean][]) =>
  mergeMessages(messages.map(([message, isAgain = false], received) => ({ message, isAgain, received })));

it("merges mail of one project and priority, each email once", () => {
  expect(merged([mail(1, [a, b])], [mail(1, [b, c])])).toEqual([{ message: mail(1, [a, b, c]), received: [0, 1] }]);
});

it("keeps projects, priorities and mail that comes again apart", () => {
  expect(merged([mail(1, [a])], [mail(2, [b])], [mail(1, [c], 1)], [mail(1, [b]), true])).toEqual([
    { message: mail(1, [a]), received: [0] },
    { message: mail(2, [b]), received: [1] },
    { message: mail(1, [c], 1), received: [2] },
    { message: { ...mail(1, [b]), again: true }, received: [3] },
  ]);
});

it("leaves other messages alone", () => {
  const drain: QueueMessage = { type: "mail.drain" };
  expect(merged([drain], [drain])).toEqual([
    { message: drain, received: [0] },
    { message: drain, received: [1] },
  ]);
});

it("merges messages that webhooks are due", () => {
  const drain: QueueMessage = { type: "webhooks.drain" };
  expect(merged([drain], [mail(1, [a])], [drain, true])).toEqual([
    { message: drain, received: [0, 2] },
    { message: mail(1, [a]), received: [1] },
  ]);
});
