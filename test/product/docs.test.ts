import { expect, inject, it } from "vitest";
import { describeInChromium, overhang, phone } from "./chromium";

const { base } = inject("product");

interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, { summary: string }>>;
}

describeInChromium(
  "/docs",
  () => base,
  (open) => {
    it("shows every operation, asks nobody but us, and has nothing to complain about", async () => {
      const { page, foreign, complaints } = await open("/docs", { viewport: { width: 1280, height: 900 } });
      const document = (await (await fetch(`${base}/openapi.json`)).json()) as Document;
      await page.getByRole("button", { name: "Close Group - Sending" }).waitFor();
      // The first group is open from the start.
      for (const { name } of document.tags.slice(1)) {
        await page.getByRole("button", { name: `Open Group - ${name}` }).click();
      }
      const sidebar = page.getByRole("complementary");
      for (const { summary } of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
        await sidebar.getByText(summary, { exact: true }).waitFor();
      }
      await sidebar.getByText("Send an email to one or many recipients").click();
      await page.getByRole("heading", { name: "Send an email to one or many recipients" }).waitFor();
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it("fits a phone", async () => {
      const { page } = await open("/docs", phone);
      await page.getByRole("heading", { name: "Petrel" }).waitFor();
      expect(await overhang(page)).toBeLessThanOrEqual(0);
    });
  },
);

it("hands out its script once: its address says the version", async () => {
  const page = await (await fetch(`${base}/docs`)).text();
  const script = /src="(\/docs\/reference\.js\?v=[0-9a-z]+)"/.exec(page)?.[1];
  const fixed = await fetch(`${base}${script}`);
  expect(fixed.status).toBe(200);
  expect(fixed.headers.get("Content-Type")).toMatch(/^text\/javascript/);
  expect(fixed.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");

  const moving = await fetch(`${base}/docs/reference.js?v=another`);
  expect(moving.headers.get("Cache-Control")).toBe("no-cache");
  const again = await fetch(`${base}/docs/reference.js`, {
    headers: { "If-None-Match": moving.headers.get("ETag") ?? "" },
  });
  expect(again.status).toBe(304);
});
