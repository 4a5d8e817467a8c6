import { expect, it } from "vitest";
import { asId } from "../../../src/core/ids";
import { afterPage, type OldMail } from "../../../src/core/mail/old-mail";

/** `a1` is the first mail of project 1; a `!` after it says that it is not ready. */
function mails(text: string, { after = "", again = null }: { after?: string; again?: string | null } = {}): OldMail[] {
  return text.split(" ").map((mail) => ({
    projectId: mail.charCodeAt(0) - 96,
    id: asId(mail.replace("!", "")),
    isReady: !mail.endsWith("!"),
    after: asId(after),
    again: again === null ? null : asId(again),
  }));
}

it.each<[what: string, page: OldMail[], next: string | null, places: [number, string, string | null][]]>([
  [
    "all are ready",
    mails("a1 a2 b1"),
    null,
    [
      [1, "a2", null],
      [2, "b1", null],
    ],
  ],
  [
    "the second is not",
    mails("a1 a2! a3 b1"),
    null,
    [
      [1, "a1", null],
      [2, "b1", null],
    ],
  ],
  ["the first is not", mails("a1! a2", { after: "a0" }), null, [[1, "a0", null]]],
  ["the very first is not", mails("a1! a2"), null, [[1, "", null]]],
  [
    "there is more of the last project",
    mails("a1 b1 b2!"),
    "b3",
    [
      [1, "a1", null],
      [2, "b2", "b1"],
    ],
  ],
  ["a page before knew one that was not", mails("b4 b5! b6", { after: "b3", again: "b1" }), "b7", [[2, "b6", "b1"]]],
  ["and this is the last page", mails("b7 b8", { after: "b6", again: "b1" }), "c1", [[2, "b1", null]]],
  ["it knew that the very first was not", mails("b7", { after: "b6", again: "" }), null, [[2, "", null]]],
])("a project goes on where it must: %s", (_, page, next, places) => {
  expect(
    afterPage(page, next === null ? undefined : mails(next)[0]).map(({ projectId, after, again }) => [
      projectId,
      after,
      again,
    ]),
  ).toEqual(places);
});
