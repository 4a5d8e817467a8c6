import { describe, expect, it } from "vitest";
import { type Behaviour, behaviourTowards } from "../../../src/core/mail/simulator";

const delivered: Behaviour = { kind: "accept", reports: [{ kind: "delivered" }] };
const bounced = (bounceType: "hard" | "soft", code: RegExp): unknown => ({
  kind: "accept",
  reports: [{ kind: "bounced", bounceType, reason: expect.stringMatching(code) }],
});

describe("an address at simulator.test", () => {
  it.each<[mailbox: string, behaviour: unknown]>([
    ["bounce", bounced("hard", /^550 /)],
    ["softbounce", bounced("soft", /^452 /)],
    ["complaint", { kind: "accept", reports: [{ kind: "delivered" }, { kind: "complained" }] }],
    ["throttle", { kind: "busy" }],
    ["reject", { kind: "refuse" }],
    ["timeout", { kind: "time out" }],
    ["ada", delivered],
    ["constructor", delivered],
    ["bounces", delivered],
    ["not-bounce", delivered],
    ["bounce.ada", delivered],
    ["ada+bounce", delivered],
  ])("%s@", (mailbox, behaviour) => {
    for (const domain of ["simulator.test", "eu.simulator.test", "a.b.simulator.test"]) {
      expect(behaviourTowards(`${mailbox}@${domain}`)).toEqual(behaviour);
    }
  });

  it.each(["bounce", "softbounce", "complaint", "throttle", "reject", "timeout"])(
    "%s+tag@ behaves as without a tag",
    (mailbox) => {
      const plain = behaviourTowards(`${mailbox}@simulator.test`);
      for (const tag of ["+1042", "+a+b", "+"]) {
        expect(behaviourTowards(`${mailbox}${tag}@simulator.test`)).toEqual(plain);
      }
    },
  );
});

it.each([
  "bounce@example.com",
  "bounce@petrel.test",
  "bounce@notsimulator.test",
  "bounce@simulator.test.example.com",
  "bounce@simulator.example",
  "timeout@example.com",
  "ada@example.com",
])("%s gets its mail", (email) => {
  expect(behaviourTowards(email)).toEqual(delivered);
});
