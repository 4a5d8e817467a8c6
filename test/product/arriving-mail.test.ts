import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { describeInChromium, overhang } from "./chromium";
import { mailWith } from "./recipient";

const product = inject("product");
const { base } = product;

interface Created {
  id: string;
  keys: { secret: string };
}

async function post(token: string, path: string, body: unknown): Promise<Created> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const response = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

const domain = "arriving.test";

/** A picture of one colour, as wide as many that mail has. */
const picture = `<img src="data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="300"><rect width="1200" height="300" fill="teal"/></svg>')}" width="1200" height="300" alt="Teal">`;
const cells = '<td width="350" style="padding:8px">Strawberries from the garden</td>'.repeat(2);

/** Bodies, each with the footer of marketing mail. */
const bodies: Record<string, string> = {
  paragraph: "<h1>Your plan</h1><p>Hi there, your plan ends on <a href='https://acme.example/'>the last day</a>.</p>",
  table: `<p>Your order:</p><table width="700" border="1"><tr>${cells}</tr><tr>${cells}</tr></table>`,
  "styled-table": `<table style="width:700px;background:#f5f5f5"><tr>${cells}</tr></table><p>Thank you</p>`,
  picture: `<p>Look at this:</p>${picture}<table><tr><td>${picture}</td></tr></table>`,
  button:
    '<p>Hi</p><p><a href="https://acme.example/" style="background:#0b5fff;color:#fff;padding:12px">Confirm</a></p>',
  coloured: '<p style="color:#333">Dark text on nothing</p>',
  unbreakable: `<p>${"Unbreakable".repeat(20)}</p>`,
  document:
    '<html><head><meta name="viewport" content="width=device-width"></head><body style="margin:0;background:#f4f4f4"><p>Hi</p></body></html>',
  "dark-document":
    '<html><head><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head><body><p>Hi</p></body></html>',
};

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

describeInChromium(
  "mail on a phone",
  () => base,
  (open) => {
    const mails = new Map<string, string>();
    let page: Page;
    beforeAll(async () => {
      ({ page } = await open("/health", phone));
      const address = { company: "Acme GmbH", postalAddress: "Musterstraße 1\n10115 Berlin" };
      const { keys } = await post(product.adminToken, "/admin/projects", { name: "Arriving", ...address });
      await post(keys.secret, "/domains", { domain });
      for (const [name, body] of Object.entries(bodies)) {
        const to = `${name}@example.com`;
        const said = { name, subject: name, body, from: `news@${domain}`, type: "MARKETING" };
        const { id } = await post(keys.secret, "/templates", said);
        await post(keys.secret, "/v1/send", { to, template: id, tracking: false });
        mails.set(name, await mailWith({ base, secretKey: keys.secret }, to, name));
      }
    }, 60_000);

    it.each(
      Object.keys(bodies).flatMap((name) => (["light", "dark"] as const).map((scheme) => [name, scheme] as const)),
    )("reads well: %s, %s", async (name, colorScheme) => {
      await page.emulateMedia({ colorScheme });
      const html = Buffer.from(mails.get(name) ?? "").toString("base64");
      await page.goto(`data:text/html;charset=utf-8;base64,${html}`);
      expect(await overhang(page)).toBe(0);
      const texts = await readTexts(page);
      expect(texts.map(({ text }) => text).join(" ")).toContain("Acme GmbH");
      expect(texts.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
      if (name.includes("document")) return;
      expect(texts.filter(({ size, isFooter }) => size < (isFooter ? 14 : 16))).toEqual([]);
      expect(texts.filter(({ right }) => right > 390)).toEqual([]);
      expect(await page.locator("html").getAttribute("lang")).toBe("en");
    });
  },
);

interface Text {
  text: string;
  size: number;
  contrast: number;
  right: number;
  isFooter: boolean;
}

/** Every piece of text as it is shown: its contrast is with the ground that is painted under it, in this colour scheme. */
function readTexts(page: Page): Promise<Text[]> {
  return page.evaluate<Text[]>(`(() => {
    const canvas = document.createElement("i");
    canvas.style.cssText = "background:Canvas";
    document.documentElement.append(canvas);
    const canvasColour = getComputedStyle(canvas).backgroundColor;
    canvas.remove();
    const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const luminance = (rgb) => {
      const [r, g, b] = rgb.map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const above = (element) => (element ? [element, ...above(element.parentElement)] : []);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (node.data.trim() === "" || ["STYLE", "SCRIPT"].includes(element.tagName)) continue;
      const line = above(element);
      const painted = line.map((one) => getComputedStyle(one).backgroundColor).find((colour) => channels(colour)[3] !== 0);
      const ground = channels(painted ?? canvasColour).slice(0, 3);
      const opacity = line.reduce((all, one) => all * Number(getComputedStyle(one).opacity), 1);
      const ink = channels(getComputedStyle(element).color).slice(0, 3);
      const seen = ink.map((value, at) => value * opacity + ground[at] * (1 - opacity));
      const [a, b] = [luminance(seen), luminance(ground)].sort((x, y) => y - x);
      const range = document.createRange();
      range.selectNodeContents(node);
      texts.push({
        text: node.data.trim(),
        size: parseFloat(getComputedStyle(element).fontSize),
        contrast: (a + 0.05) / (b + 0.05),
        right: Math.max(...[...range.getClientRects()].map(({ right }) => right)),
        isFooter: line.some((one) => one.style.textAlign === "center"),
      });
    }
    return texts;
  })()`);
}
