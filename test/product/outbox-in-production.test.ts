import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { describeInChromium } from "./chromium";
import { type Product, sendMail, startProduct } from "./product";

let product: Product;
let stop: (() => Promise<void>) | undefined;
beforeAll(async () => {
  ({ product, stop } = await startProduct({ ENVIRONMENT: "production" }));
});
afterAll(() => stop?.());

function get(path: string, authorization?: string): Promise<Response> {
  return fetch(`${product.base}${path}`, { headers: authorization ? { Authorization: authorization } : {} });
}

const basic = (password: string) => `Basic ${Buffer.from(`operator:${password}`).toString("base64")}`;

describe("outside of development", () => {
  it.each(["/outbox", "/outbox/messages", "/outbox/style.css"])("%s asks for the operator's token", async (path) => {
    for (const wrong of [undefined, basic("wrong"), "Bearer wrong", `Bearer ${product.secretKey}`]) {
      const refused = await get(path, wrong);
      expect(refused.status).toBe(401);
      expect(refused.headers.get("WWW-Authenticate")).toBe('Basic realm="Petrel", charset="UTF-8"');
      expect(await refused.json()).toMatchObject({ success: false, error: { code: "INVALID_API_KEY" } });
    }
    for (const right of [basic(product.adminToken), `Bearer ${product.adminToken}`]) {
      expect((await get(path, right)).status).toBe(200);
    }
  });

  // A browser sends a password along by itself, also with what a foreign page made it ask for.
  it("the operator's API takes no password", async () => {
    expect((await get("/admin/projects", basic(product.adminToken))).status).toBe(401);
  });
});

describeInChromium(
  "a browser that was given the token",
  () => product.base,
  (open) => {
    it("shows a mail with its frame, and empties the outbox", async () => {
      await sendMail(product, { to: "ada@example.com", subject: "In production", body: "<h1>Hi Ada</h1>" });
      const httpCredentials = { username: "operator", password: product.adminToken };
      const { page } = await open("/outbox", { httpCredentials });
      const link = page.getByRole("link", { name: "In production" });
      await vi.waitFor(
        async () => {
          await page.reload();
          expect(await link.count()).toBe(1);
        },
        { timeout: 15_000 },
      );
      await link.click();
      expect(await page.frameLocator("iframe").getByRole("heading").textContent()).toBe("Hi Ada");
      await page.getByRole("link", { name: "All emails" }).click();
      await page.getByText("Empty the outbox").click();
      await page.getByRole("button", { name: "Delete all mail" }).click();
      await page.getByRole("heading", { name: "No mail yet" }).waitFor();
    });
  },
);
