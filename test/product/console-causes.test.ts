import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it, vi } from "vitest";
import { sample } from "../support/sample";
import { describeInChromium, visit } from "./chromium";
import { asOwner, hostile, makeWorld, type World } from "./console-world";

const product = inject("product");
const { base } = product;

/** A person who got nothing: what to choose on their page, and what it must say first. */
interface Cause {
  who: string;
  kind: "Campaign" | "Workflow" | "Template";
  name: string;
  verdict: "Not received" | "Will be received";
  code: string;
}

const pro = { logic: "AND", groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }] };
const news = `News ${hostile}`;

const causes: Cause[] = [
  { who: "left@example.com", kind: "Campaign", name: news, verdict: "Not received", code: "unsubscribed" },
  { who: "away@example.com", kind: "Campaign", name: news, verdict: "Not received", code: "snoozed" },
  { who: "dead@example.com", kind: "Campaign", name: news, verdict: "Not received", code: "suppressed" },
  { who: "bored@example.com", kind: "Campaign", name: news, verdict: "Not received", code: "topic" },
  { who: "free@example.com", kind: "Campaign", name: news, verdict: "Not received", code: "filter" },
  { who: "late@example.com", kind: "Campaign", name: news, verdict: "Not received", code: "created_later" },
  { who: "bounce+causes@simulator.test", kind: "Campaign", name: news, verdict: "Not received", code: "bounced" },
  { who: "reject+causes@simulator.test", kind: "Campaign", name: news, verdict: "Not received", code: "failed" },
  { who: "late@example.com", kind: "Campaign", name: "Being written", verdict: "Not received", code: "draft" },
  { who: "late@example.com", kind: "Campaign", name: "Tomorrow", verdict: "Will be received", code: "scheduled" },
  { who: "late@example.com", kind: "Workflow", name: "Welcome", verdict: "Not received", code: "not_entered" },
  { who: "late@example.com", kind: "Template", name: "Receipt", verdict: "Not received", code: "never_sent" },
];

describeInChromium(
  "the console, asked why somebody got nothing",
  () => base,
  (open) => {
    let world: World;
    /** Ids of the people by their addresses, and of what was made by its name. */
    const ids: Record<string, string> = {};

    async function person(email: string, more: object = {}): Promise<void> {
      const fields = { email, data: { plan: "pro" }, ...more };
      ids[email] = (await world.call<{ id: string }>("POST", "/contacts", fields)).id;
    }

    async function campaign(name: string, more: object = {}): Promise<string> {
      const written = { name, subject: "News", body: "<p>News</p>", from: `hello@${world.domain}` };
      const answer = await world.call<{ data: { id: string } }>("POST", "/campaigns", {
        ...written,
        audienceType: "ALL",
        ...more,
      });
      ids[name] = answer.data.id;
      return answer.data.id;
    }

    beforeAll(async () => {
      world = await makeWorld(product);
      const { call, domain } = world;
      const topic = await call<{ id: string; slug: string }>("POST", "/topics", { name: "Tips" });
      const segment = await call<{ id: string }>("POST", "/segments", { name: "Pro", condition: pro });
      await person("left@example.com", { subscribed: false });
      await person("away@example.com");
      await call("POST", `/contacts/${ids["away@example.com"]}/snooze`, { duration: "1m" });
      await person("dead@example.com");
      await call("POST", "/suppressions", { email: "dead@example.com" });
      await person("bored@example.com");
      await call("PUT", `/contacts/${ids["bored@example.com"]}/topics`, { topics: { [topic.slug]: false } });
      await person("free@example.com", { data: { plan: "free" } });
      for (const { who } of causes.filter(({ who }) => who.endsWith("simulator.test"))) await person(who);
      const sent = await campaign(news, { audienceType: "SEGMENT", segmentId: segment.id, topicId: topic.id });
      await call("POST", `/campaigns/${sent}/send`, {});
      const isOver = async () => (await call<{ status: string }>("GET", `/campaigns/${sent}`)).status === "SENT";
      await vi.waitUntil(isOver, { timeout: 30_000, interval: 200 });
      await person("late@example.com");
      await campaign("Being written");
      const tomorrow = await campaign("Tomorrow");
      const scheduledFor = new Date(Date.now() + 24 * 60 * 60_000).toISOString();
      await call("POST", `/campaigns/${tomorrow}/send`, { scheduledFor });
      const mail = { name: "Receipt", subject: "Receipt", body: "<p>Paid</p>", from: `hello@${domain}` };
      ids.Receipt = (await call<{ id: string }>("POST", "/templates", { ...mail, type: "TRANSACTIONAL" })).id;
      const started = { name: "Welcome", triggerType: "EVENT", triggerConfig: { eventName: "signed up" } };
      ids.Welcome = (await call<{ id: string }>("POST", "/workflows", started)).id;
    }, 60_000);

    /** Goes from the start to the answer, as a person does. Returns the number of their choices. */
    async function ask(page: Page, { who, kind, name }: Cause): Promise<number> {
      let choices = 0;
      await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("combobox", { name: "Search pages, people and mail" }).fill(who);
      await page.getByRole("option", { name: who, exact: true }).waitFor();
      await page.keyboard.press("Enter");
      choices++;
      await page.getByRole("heading", { level: 1, name: who }).waitFor();
      const isOpen = (await page.getByRole("combobox", { name: kind }).count()) > 0;
      if (!isOpen) {
        await page.getByText(kind, { exact: true }).first().click();
        choices++;
      }
      await page.getByRole("combobox", { name: kind }).selectOption(ids[name] ?? "");
      return choices + 1;
    }

    it("says the first reason of twelve, as the API does, in three choices at most", async () => {
      const watched = await open("about:blank", { viewport: { width: 1280, height: 900 } });
      const { page } = watched;
      await asOwner(page, world);
      for (const cause of sample(causes)) {
        const { who, kind, name, verdict, code } = cause;
        await visit(page, `${base}/console/p/${world.project}`);
        const choices = await ask(page, cause);
        const explained = await world.call<{ because: { code: string; message: string; source: { type: string } }[] }>(
          "POST",
          `/contacts/${ids[who]}/explain`,
          { [`${kind.toLowerCase()}Id`]: ids[name] },
        );
        const [first] = explained.because;
        expect(first?.code, `${who}: ${name}`).toBe(code);
        const answer = page.getByRole("status").filter({ hasText: verdict });
        await answer
          .getByText(first?.message ?? "nothing")
          .first()
          .waitFor();
        const hasPage = /^(email|campaign|segment)$/.test(first?.source.type ?? "");
        expect(await answer.getByRole("link", { name: first?.message ?? "" }).count(), code).toBe(hasPage ? 1 : 0);
        expect(choices).toBeLessThanOrEqual(3);
      }
      expect([watched.foreign, watched.dialogs]).toEqual([[], []]);
    }, 60_000);
  },
);
