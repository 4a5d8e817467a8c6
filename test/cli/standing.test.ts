import { expect, it } from "vitest";
import { standingOf } from "../../clients/cli/src/files/standing";
import { hashOf } from "../../clients/cli/src/files/state";

const kept = { id: "1", file: hashOf("a"), server: hashOf("a") };
/** The service writes some of it in another way. */
const other = { id: "1", file: hashOf("a"), server: hashOf("A") };
const dying = { file: hashOf("b"), server: "" };

it.each([
  ["same", "a", "a", undefined],
  ["same", "b", "b", kept],
  ["same", "a", "A", other],
  ["new here", "a", undefined, undefined],
  ["new here", "a", undefined, dying],
  ["new there", undefined, "a", undefined],
  ["changed here", "b", "a", kept],
  ["changed here", "b", "A", other],
  ["changed here", "b", "B", dying],
  ["changed there", "a", "b", kept],
  ["changed on both sides", "b", "c", kept],
  ["changed on both sides", "a", "b", undefined],
  ["deleted here", undefined, "a", kept],
  ["deleted there", "a", undefined, kept],
  [null, undefined, undefined, kept],
])("%s: %s here, %s there", (standing, local, server, entry) => {
  expect(standingOf(local, server, entry)).toBe(standing);
});
