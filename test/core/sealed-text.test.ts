import { describe, expect, it } from "vitest";
import { openSealedText, sealText } from "../../src/core/sealed-text";
import { forged } from "../support/forged";

const [one, other] = ["a".repeat(32), "b".repeat(32)];

describe("a sealed text", () => {
  it("opens with the secret that sealed it, among others, and never looks the same", async () => {
    const sealed = await sealText([one, other], "webhook 1", "whsec_abc");
    expect(sealed).not.toContain("whsec");
    expect(await sealText([one], "webhook 1", "whsec_abc")).not.toBe(sealed);
    expect(await openSealedText([other, one], "webhook 1", sealed)).toBe("whsec_abc");
  });

  it("does not open with another secret, for another owner, or when it was changed", async () => {
    const sealed = await sealText([one], "webhook 1", "whsec_abc");
    expect(await openSealedText([other], "webhook 1", sealed)).toBeNull();
    expect(await openSealedText([], "webhook 1", sealed)).toBeNull();
    expect(await openSealedText([one], "webhook 2", sealed)).toBeNull();
    for (const changed of ["", "x", forged(sealed), sealed.slice(0, -4), "☃"]) {
      expect(await openSealedText([one], "webhook 1", changed)).toBeNull();
    }
  });

  it("needs a secret", async () => {
    await expect(sealText([], "webhook 1", "x")).rejects.toThrow("no secret");
  });
});
