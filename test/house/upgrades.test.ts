import { expect, inject, it } from "vitest";
import { captureTool } from "../../scripts/lib/tools.mjs";

const seeds = inject("isDeep") ? "5" : "1";

it("two versions side by side come to the same end as one, whichever parts are of which", async ({ skip }) => {
  const { code, output } = await captureTool("../../test/upgrades/run.mjs", ["--seeds", seeds]);
  // A shallow clone and a download do not have the last release. It is not fetched, because tests need no network.
  if (code === 2) skip(output);
  expect(output).toMatch(/^\d+ days with two versions, of which one is \w+: \d+ end as with one, 0 do not\.$/m);
  expect(code).toBe(0);
}, 300_000);
