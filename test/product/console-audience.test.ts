import { beforeAll, expect, inject, it } from "vitest";
import { axeFindings } from "./axe";
import { atRest, describeInChromium, overhang, visit } from "./chromium";
import { asOwner, hostile, makeWorld, type World } from "./console-world";

const product = inject("product");
const { base } = product;

interface Campaign {
  audienceType: string;
  segmentId: string | null;
  audienceCondition: unknown;
  canary: unknown;
}

const patient = { timeout: 10_000 };

describeInChromium(
  "the audience of a campaign, in the console",
  () => base,
  (open) => {
    let world: World;
    let id: string;

    beforeAll(async () => {
      world = await makeWorld(product);
      for (const [email, plan, subscribed] of [
        ["ada@example.com", "pro", true],
        ["bob@example.com", "pro", false],
        ["cleo@example.com", hostile, true],
        ["dan@example.com", "free", true],
      ] as const) {
        await world.call("POST", "/contacts", { email, subscribed, data: { plan } });
      }
      const segment = await world.call<{ id: string }>("POST", "/segments", { name: hostile, type: "STATIC" });
      const { data } = await world.call<{ data: { id: string } }>("POST", "/campaigns", {
        ...{ name: "March", subject: "News", body: "<p>News</p>", from: `hello@${world.domain}` },
        ...{ audienceType: "SEGMENT", segmentId: segment.id },
      });
      id = data.id;
    }, 60_000);

    const read = () => world.call<Campaign>("GET", `/campaigns/${id}`);

    it("is written as conditions with a count that adds up, and goes to a first part of it if that is wanted", async () => {
      const watched = await open("about:blank", { viewport: { width: 1280, height: 900 } });
      const { page } = watched;
      await asOwner(page, world);
      await visit(page, `${base}/console/p/${world.project}/campaigns/${id}/edit`);
      const audience = page.getByRole("region", { name: "Audience" });
      const sums = () => audience.locator("dl > div").allTextContents();
      await expect.poll(sums, patient).toEqual(["In the audience0"]);

      const to = audience.getByRole("combobox").first();
      // Without a condition it is not an audience yet, so it stays the one that it was.
      await to.selectOption("FILTERED");
      await audience.getByText("Until there is a condition").waitFor();
      expect(await sums()).toEqual(["In the audience0"]);
      await audience.getByRole("button", { name: "Add a condition" }).click();
      const form = page.getByRole("dialog");
      await form.getByRole("button", { name: "Cancel" }).click();
      await expect.poll(() => to.inputValue(), patient).not.toBe("FILTERED");
      await to.selectOption("FILTERED");
      await audience.getByRole("button", { name: "Add a condition" }).click();
      await form.getByRole("combobox").first().selectOption("plan");
      await form.getByRole("combobox", { name: "Value" }).fill("pro");
      await form.getByRole("button", { name: "Apply" }).click();
      await expect.poll(sums, patient).toEqual(["Subscribed1", "Not subscribed1", "In the audience2"]);
      // The only condition can be changed, and not removed.
      expect(await audience.getByRole("button", { name: /^Remove the condition/ }).count()).toBe(0);

      await audience.getByRole("button", { name: "Add another group" }).click();
      await form.getByRole("combobox").first().selectOption("plan");
      await form.getByRole("combobox", { name: "Value" }).fill(hostile);
      await form.getByRole("button", { name: "Apply" }).click();
      await expect.poll(sums, patient).toEqual(["Subscribed2", "Not subscribed1", "In the audience3"]);
      const filter = (value: string) => ({ filters: [{ field: "data.plan", operator: "equals", value }] });
      const written = { logic: "OR", groups: [filter("pro"), filter(hostile)] };
      await expect
        .poll(read, patient)
        .toMatchObject({ audienceType: "FILTERED", segmentId: null, audienceCondition: written });

      await audience.getByRole("button", { name: "plan is pro", exact: true }).click();
      await form.getByRole("combobox", { name: "Value" }).fill("free");
      await form.getByRole("button", { name: "Apply" }).click();
      await audience.getByRole("button", { name: `Remove the condition plan is ${hostile}` }).click();
      await expect.poll(sums, patient).toEqual(["Subscribed1", "In the audience1"]);
      // Another audience, and back: the condition is still there.
      await to.selectOption("ALL");
      await expect.poll(sums, patient).toEqual(["Subscribed3", "Not subscribed1", "In the audience4"]);
      await to.selectOption("FILTERED");
      await audience.getByRole("button", { name: "plan is free", exact: true }).waitFor();

      const canary = page.getByRole("region", { name: "First part" });
      await canary.getByRole("button", { name: "Begin with a part" }).click();
      await canary.getByLabel("Share of the first part, in %").fill("20");
      await canary.getByLabel("Bounced at most, in %").fill("2.5");
      await canary.getByLabel("Reported as spam at most, in %").fill("");
      const first = { percent: 20, holdMinutes: 60, maxBounceRate: 2.5 };
      await expect.poll(async () => (await read()).canary, patient).toEqual(first);
      expect((await read()).audienceCondition).toEqual({ logic: "OR", groups: [filter("free")] });
      expect(await axeFindings(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await overhang(page)).toBeLessThanOrEqual(0);
      await canary.getByRole("button", { name: "Without a first part" }).click();
      await expect.poll(async () => (await read()).canary, patient).toBeNull();

      // A program may nest conditions: they are shown and changed in their place.
      const nested = {
        logic: "AND",
        groups: [{ ...filter("pro"), conditions: { logic: "OR", groups: [filter("free")] } }],
      };
      await world.call("PUT", `/campaigns/${id}`, { audienceType: "FILTERED", audienceCondition: nested });
      await page.reload();
      await atRest(page);
      await audience.getByRole("button", { name: "Remove the condition plan is free" }).click();
      await expect
        .poll(async () => (await read()).audienceCondition, patient)
        .toMatchObject({
          logic: "AND",
          groups: [filter("pro")],
        });

      // Two people choose the audience at once: the second sees both, takes the first one's, and has the own one back.
      const byOther = { logic: "AND", groups: [filter(hostile)] };
      await page
        .getByRole("status")
        .filter({ hasText: /^Saved/ })
        .waitFor();
      await page.context().setOffline(true);
      await audience.getByRole("button", { name: "plan is pro", exact: true }).click();
      await form.getByRole("combobox", { name: "Value" }).fill("free");
      await form.getByRole("button", { name: "Apply" }).click();
      await page.getByText("Not saved: no connection").waitFor();
      await world.call("PUT", `/campaigns/${id}`, { audienceCondition: byOther });
      await page.context().setOffline(false);
      const conflict = page.getByRole("region", { name: "Two versions of the same" });
      await conflict.locator("ins").first().waitFor();
      expect(await conflict.locator("del").allTextContents()).toEqual(["Mine: free"]);
      expect(await conflict.locator("ins").allTextContents()).toEqual([`Theirs: ${hostile}`]);
      await page.getByRole("button", { name: "Take all theirs" }).click();
      await audience.getByRole("button", { name: `plan is ${hostile}`, exact: true }).waitFor();
      await page.getByRole("button", { name: "Bring mine back" }).click();
      const ofSecond = { logic: "AND", groups: [filter("free")] };
      await expect.poll(async () => (await read()).audienceCondition, patient).toMatchObject(ofSecond);

      // A condition that somebody else has changed meanwhile is not written over by the window that is open.
      await page
        .getByRole("status")
        .filter({ hasText: /^Saved/ })
        .waitFor();
      await audience.getByRole("button", { name: "plan is free", exact: true }).click();
      await world.call("PUT", `/campaigns/${id}`, { audienceCondition: byOther });
      await form.getByText("Somebody else has changed these conditions meanwhile.").waitFor();
      expect(await form.getByRole("button", { name: "Apply" }).isDisabled()).toBe(true);
      await form.getByRole("button", { name: "Cancel" }).click();
      await audience.getByRole("button", { name: `plan is ${hostile}`, exact: true }).waitFor();
      expect((await read()).audienceCondition).toMatchObject(byOther);
      expect([watched.foreign, watched.dialogs]).toEqual([[], []]);
    });
  },
);
