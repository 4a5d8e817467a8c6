import { expect, it } from "vitest";
import { openPreflight, sealPreflight } from "../../../src/core/campaigns/preflight-token";
import { newId } from "../../../src/core/ids";
import { sealText } from "../../../src/core/sealed-text";

const [secret, older, stranger] = ["a".repeat(32), "b".repeat(32), "c".repeat(32)];
const checked = { projectId: crypto.randomUUID(), campaignId: newId() };
const stamp = { version: 7, expiresAt: Date.UTC(2026, 0, 31) };

it("opens under the secret that sealed it, also when that is no longer the first", async () => {
  const token = await sealPreflight([older], checked, stamp);
  expect(await openPreflight([secret, older], checked, token)).toEqual(stamp);
  expect(await openPreflight([stranger], checked, token)).toBeNull();
});

it("is null for another campaign, and for the same id in another project", async () => {
  const token = await sealPreflight([secret], checked, stamp);
  expect(await openPreflight([secret], { ...checked, campaignId: newId() }, token)).toBeNull();
  expect(await openPreflight([secret], { ...checked, projectId: crypto.randomUUID() }, token)).toBeNull();
});

it("is null for what is none, and for another sealed text", async () => {
  const token = await sealPreflight([secret], checked, stamp);
  const sealed = await sealText([secret], "bookmark", "7 1");
  for (const text of ["", "7 1", "é", token.slice(1), `${token}A`, sealed]) {
    expect(await openPreflight([secret], checked, text), text).toBeNull();
  }
});
