import { expect, it } from "vitest";
import { openBookmark, sealBookmark } from "../../src/core/bookmark";
import { sealText } from "../../src/core/sealed-text";

const [secret, older, stranger] = ["a".repeat(32), "b".repeat(32), "c".repeat(32)];
const bookmark = { shard: "DB_01", at: "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683" };

it("opens under the secret that sealed it, also when that is no longer the first", async () => {
  const sealed = await sealBookmark([older], bookmark);
  expect(await openBookmark([secret, older], sealed)).toEqual(bookmark);
  expect(await openBookmark([stranger], sealed)).toBeNull();
});

it("shows nobody the state of the database, and fits a header", async () => {
  const sealed = await sealBookmark([secret], bookmark);
  expect(sealed).toMatch(/^[\w-]{1,200}$/);
  expect(atob(sealed.replaceAll("-", "+").replaceAll("_", "/"))).not.toContain("00000085");
});

it.each(["", "any", "x", bookmark.at, "A".repeat(2_000), "é"])("is null for what is none: %j", async (text) => {
  expect(await openBookmark([secret], text)).toBeNull();
});

it("is null for another sealed text", async () => {
  expect(await openBookmark([secret], await sealText([secret], "webhook", "DB 1"))).toBeNull();
  expect(await openBookmark([secret], await sealText([secret], "bookmark", "DB"))).toBeNull();
});
