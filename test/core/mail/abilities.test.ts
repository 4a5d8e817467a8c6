import { expect, it } from "vitest";
import { type Abilities, unfitness } from "../../../src/core/mail/abilities";

const abilities: Abilities = {
  idempotencyWindowMs: 0,
  mailsPerCall: 1,
  sharesCallsWithFiles: true,
  maxMessageBytes: 1_000,
  steeringHeaders: ["x-ses-"],
  allowsMarketing: true,
};
const plain = { headers: { "X-Order-Id": "1042", "X-Session": "abc" } };

it("has nothing against a plain mail", () => {
  expect(unfitness(abilities, "TRANSACTIONAL", plain)).toBeNull();
  expect(unfitness(abilities, "MARKETING", plain)).toBeNull();
});

it("keeps marketing mail from a provider that takes none, and no other", () => {
  const transactional = { ...abilities, allowsMarketing: false };
  expect(unfitness(transactional, "MARKETING", plain)).toContain("marketing");
  expect(unfitness(transactional, "HEADLESS", plain)).toBeNull();
  expect(unfitness(transactional, "TRANSACTIONAL", plain)).toBeNull();
});

it.each(["X-SES-MESSAGE-TAGS", "x-ses-configuration-set", "X-Ses-Source-Arn"])(
  "keeps a header that steers the provider from it: %s",
  (name) => {
    expect(unfitness(abilities, "TRANSACTIONAL", { headers: { [name]: "x" } })).toContain(name);
  },
);
