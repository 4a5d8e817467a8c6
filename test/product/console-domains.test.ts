import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { describeInChromium, visit } from "./chromium";
import { asOwner, hostile, makeWorld, type World } from "./console-world";

const product = inject("product");
const { base, resolverPort } = product;
const typeOfText = 16;

describeInChromium(
  "a domain, in the console",
  () => base,
  (open) => {
    let world: World;
    let resolver: Server;
    /** TXT records by their names, as the resolver has them. */
    const texts = new Map<string, string>();

    beforeAll(async () => {
      resolver = createServer((request, response) => {
        const asked = new URL(request.url ?? "", base).searchParams;
        const name = asked.get("name") ?? "";
        const text = asked.get("type") === "TXT" ? texts.get(name) : undefined;
        const found = { Status: 0, Answer: [{ name, type: typeOfText, TTL: 60, data: JSON.stringify(text) }] };
        response.setHeader("Content-Type", "application/dns-json");
        response.end(JSON.stringify(text === undefined ? { Status: 3 } : found));
      });
      resolver.listen(resolverPort, "127.0.0.1");
      await once(resolver, "listening");
      world = await makeWorld(product);
    });
    afterAll(() => {
      resolver.close();
      resolver.closeAllConnections();
    });

    it("is added, looked up with nothing there and with another value, and verified with its record", async () => {
      const domain = `${world.project.slice(-8).toLowerCase()}.example.com`;
      const { page, foreign, dialogs } = await open("about:blank", { viewport: { width: 1280, height: 900 } });
      await asOwner(page, world);
      await visit(page, `${base}/console/p/${world.project}/domains`);
      await page.getByLabel("Domain").fill(domain);
      await page.getByRole("button", { name: "Add a domain" }).click();
      const card = page.getByRole("region", { name: domain });
      await card.getByText("It was not checked yet.").waitFor();
      const proof = card.getByRole("listitem").filter({ hasText: "OWNERSHIP" });
      const value = (await proof.getByText(/^petrel-verification=/).textContent()) ?? "";
      const check = () => card.getByRole("button", { name: "Check now" }).click();

      await check();
      await card.getByText("Last checked").waitFor();
      await proof.getByText("Not found").waitFor();
      await card.getByText("Waiting for DNS").waitFor();

      texts.set(`_petrel.${domain}`, hostile);
      await check();
      await proof.getByText("Another value").waitFor();
      await proof.getByText(hostile).waitFor();

      texts.set(`_petrel.${domain}`, value);
      await check();
      await card.getByText("Verified", { exact: true }).waitFor();
      await proof.getByText("Found", { exact: true }).waitFor();
      expect(await proof.getByText(hostile).count()).toBe(0);
      const domains = await world.call<{ domain: string; status: string }[]>("GET", "/domains");
      expect(domains.find((one) => one.domain === domain)?.status).toBe("VERIFIED");
      expect([foreign, dialogs]).toEqual([[], []]);
    });
  },
);
