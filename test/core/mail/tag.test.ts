import { expect, it } from "vitest";
import { readTag, writeTag } from "../../../src/core/mail/tag";

const projectId = "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e";
const emailId = "0199a0f2-4a11-7c20-a1b2-c3d4e5f60718";

it("comes back as it was given", () => {
  expect(readTag(writeTag({ projectId, emailId }))).toEqual({ projectId, emailId });
});

it("is made of what every provider takes in a tag, and short enough", () => {
  expect(writeTag({ projectId, emailId })).toMatch(/^[A-Za-z0-9_-]{1,80}$/);
});

it("is read with a dot too", () => {
  expect(readTag(`${projectId}.${emailId}`)).toEqual({ projectId, emailId });
});

it.each([
  "",
  "welcome",
  projectId,
  `${projectId}_`,
  `_${emailId}`,
  `${projectId}_${emailId}_x`,
  `${projectId}/${emailId}`,
])("is not read from %j", (tag) => {
  expect(readTag(tag)).toBeNull();
});
