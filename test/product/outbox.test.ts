import { expect, inject, it, vi } from "vitest";
import { axeFindings } from "./axe";
import { describeInChromium, overhang, phone } from "./chromium";
import { sendMail } from "./product";

const product = inject("product");
const { base } = product;

interface Kept {
  id: string;
  emailId: string;
}

let counter = 0;

/** Sends a mail to an address of its own, and finds it kept. */
async function keep(fields: Record<string, unknown> = {}): Promise<Kept & { to: string }> {
  const to = `reader-${++counter}@example.com`;
  await sendMail(product, { to, tracking: false, ...fields });
  const find = async () => {
    const { data } = (await (await fetch(`${base}/outbox/messages?to=${to}`)).json()) as { data: Kept[] };
    expect(data).toHaveLength(1);
    return data;
  };
  const [kept] = await vi.waitFor(find, { timeout: 15_000, interval: 50 });
  if (!kept) throw new Error("The mail is not kept");
  return { ...kept, to };
}

const hostile = {
  subject: "</title></h1><script>alert('subject')</script><style>body{display:none}</style>",
  from: { name: "<img src=x onerror=alert('from')>", email: "hello@petrel.test" },
  body: `<script>alert("body"); parent.document.title = "owned"</script>
    <img src=x onerror="alert('image')"><p onclick="alert('click')">Click me</p><a href="javascript:alert('link')">Go</a>
    <a href="/outbox" target="_top">Top</a><style>body { background: red } h1 { display: none }</style>
    <link rel="stylesheet" href="https://petrel.invalid/x.css"><meta http-equiv="refresh" content="0;url=https://petrel.invalid">
    <iframe src="https://petrel.invalid"></iframe><form action="/outbox/empty" method="post"><button>Empty</button></form>
    https://petrel.test/"onmouseover="alert('text')`,
};

const long = {
  subject: "Unbreakable".repeat(20),
  from: { name: "Name".repeat(40), email: "hello@petrel.test" },
  headers: { "X-Long": "x".repeat(600) },
  body: `<p>${"Word".repeat(100)}</p><table width="900"><tr><td>Wide</td></tr></table>`,
};

describeInChromium(
  "/outbox",
  () => base,
  (open) => {
    it("lists a mail, and shows its HTML, text, headers and source", async () => {
      const mail = await keep({
        from: { name: "Acme", email: "billing@petrel.test" },
        subject: "Your receipt",
        body: '<h1>Thank you, {{ name }}</h1><p>See <a href="https://acme.example/42">your order</a>.</p>',
        data: { name: "Grace" },
      });
      const { page, foreign, complaints } = await open("/outbox");
      await page.getByLabel("Recipient").fill(mail.to);
      await page.getByRole("button", { name: "Filter" }).click();

      const rows = page.getByRole("listitem");
      await rows.filter({ hasText: mail.to }).waitFor();
      expect(await rows.count()).toBe(1);
      const shown = await rows.textContent();
      for (const text of [mail.to, "Acme", "Your receipt", "Demo", "just now", "See your order"]) {
        expect(shown).toContain(text);
      }

      await page.getByRole("link", { name: "Your receipt" }).click();
      expect(page.url()).toBe(`${base}/outbox/${mail.id}`);
      const frame = page.frameLocator("iframe");
      expect(await frame.getByRole("heading").textContent()).toBe("Thank you, Grace");
      const text = page.getByRole("region", { name: "Text" });
      expect(await text.getByRole("link").getAttribute("href")).toBe("https://acme.example/42");
      const headers = page.getByRole("region", { name: "Headers" });
      expect(await headers.getByRole("row", { name: /^Subject/ }).textContent()).toContain("Your receipt");
      await page.getByText("Show the MIME source").click();
      expect(await page.getByRole("region", { name: "Source" }).textContent()).toContain("MIME-Version: 1.0");
      expect(complaints).toEqual([]);
      expect(foreign).toEqual([]);
    });

    it("lets nothing of a mail run, style the page or call anyone", async () => {
      const mail = await keep(hostile);
      for (const path of [`/outbox?to=${mail.to}`, `/outbox/${mail.id}`, `/outbox/${mail.id}/html`]) {
        const { page, foreign, dialogs } = await open(path);
        if (path.endsWith(mail.id)) {
          const frame = page.frameLocator("iframe").first();
          for (const text of ["Click me", "Go", "Top", "Empty"]) await frame.getByText(text, { exact: true }).click();
          await page.getByRole("region", { name: "Text" }).hover();
          expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(hostile.subject);
          expect(await page.title()).toBe(`${hostile.subject} · Outbox`);
          expect(page.context().pages()).toHaveLength(1);
        }
        expect(page.url()).toBe(`${base}${path}`);
        expect(dialogs).toEqual([]);
        expect(foreign).toEqual([]);
      }
      expect((await fetch(`${base}/outbox/messages/${mail.id}`)).status).toBe(200);
    });

    it("opens the links of a mail in a new tab, and nowhere else", async () => {
      const mail = await keep({ body: '<a href="https://petrel.invalid/shop">Shop</a>' });
      const { page, foreign } = await open(`/outbox/${mail.id}`);
      const [tab] = await Promise.all([
        page.context().waitForEvent("page"),
        page.frameLocator("iframe").getByText("Shop").click(),
      ]);
      await vi.waitFor(() => expect(foreign).toEqual(["https://petrel.invalid/shop"]));
      expect(await tab.evaluate("window.opener")).toBeNull();
      expect(page.url()).toBe(`${base}/outbox/${mail.id}`);
    });

    it("shows new mail by itself, and what is typed meanwhile stays", async () => {
      const { to } = await keep({ subject: "The first" });
      const { page, complaints } = await open(`/outbox?to=${to}`);
      await page.getByLabel("Subject").fill("half a wo");
      await sendMail(product, { to, subject: "The second" });
      await page.getByRole("link", { name: "The second" }).waitFor({ timeout: 15_000 });
      expect(await page.getByRole("listitem").count()).toBe(2);
      expect(await page.getByLabel("Subject").inputValue()).toBe("half a wo");
      expect(complaints).toEqual([]);
    });

    it.each([
      ["bounce", "bounced", "No such mailbox"],
      ["complaint", "complained", ""],
      ["reject", "failed", "refused this email"],
      ["timeout", "unknown", "did not answer"],
      ["throttle", "queued", "429"],
    ])("shows what became of a mail to %s@simulator.test: %s", async (mailbox, status, reason) => {
      const subject = `To ${mailbox} ${++counter}`;
      await sendMail(product, { to: `${mailbox}@simulator.test`, subject });
      const { page } = await open(`/outbox?subject=${encodeURIComponent(subject.toUpperCase())}`);
      const row = page.getByRole("listitem").filter({ hasText: status });
      await row.waitFor({ timeout: 15_000 });
      expect(await page.getByRole("listitem").count()).toBe(1);
      await row.getByRole("link").click();
      const facts = await page.getByRole("term").filter({ hasText: "Status" }).locator("..").textContent();
      expect(facts).toContain(status);
      expect(facts).toContain(reason);
      expect(await page.getByRole("term").allTextContents()).toContain("Received");
    });

    it("shows a mail as wide as a phone", async () => {
      const mail = await keep({ body: "<p>Hi</p>" });
      const { page } = await open(`/outbox/${mail.id}`);
      const width = () => page.evaluate<number>("document.querySelector('iframe').clientWidth");
      expect(await width()).toBeGreaterThan(400);
      await page.getByLabel("Phone width").check();
      expect(await width()).toBe(390);
    });

    it("loads images of other hosts only when it is told to", async () => {
      const mail = await keep({ body: '<p>Hi</p><img src="https://petrel.invalid/logo.png">' });
      const { page, foreign } = await open(`/outbox/${mail.id}`);
      await page.frameLocator("iframe").getByText("Hi").waitFor();
      expect(foreign).toEqual([]);
      await page.getByRole("link", { name: "load them" }).click();
      await vi.waitFor(() => expect(foreign).toEqual(["https://petrel.invalid/logo.png"]));
    });

    it("fits a phone, whatever a mail says", async () => {
      const mail = await keep(long);
      for (const path of ["/outbox", "/outbox?to=nobody@example.com", `/outbox/${mail.id}`]) {
        const { page } = await open(path, phone);
        for (const hidden of await page.locator("summary").all()) await hidden.click();
        expect(await overhang(page), path).toBeLessThanOrEqual(0);
      }
    });

    it("shows whole addresses in the list on a narrow phone", async () => {
      const { to } = await keep();
      const { page } = await open(`/outbox?to=${to}`, { ...phone, viewport: { width: 320, height: 640 } });
      const cut = await page.evaluate<string[]>(
        `[...document.querySelectorAll(".who > *")].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)`,
      );
      expect(cut).toEqual([]);
      expect(await page.getByRole("listitem").textContent()).toContain(to);
    });

    it.each(["light", "dark"] as const)("can be read in %s", async (colorScheme) => {
      const mail = await keep({ body: '<p>Hi</p><a href="https://acme.example">x</a>' });
      for (const path of ["/outbox", `/outbox?to=nobody@example.com`, `/outbox/${mail.id}`, "/outbox/none"]) {
        const { page } = await open(path, { colorScheme });
        expect(await axeFindings(page)).toEqual([]);
        const brightness = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
        expect(brightness).toMatch(colorScheme === "light" ? /rgb\(2\d\d, 2/ : /rgb\(\d\d?, \d\d?,/);
      }
    });

    it("is emptied with its button, and then says how to send the first mail", async () => {
      await keep();
      const { page } = await open("/outbox");
      await page.getByText("Empty the outbox").click();
      await page.getByRole("button", { name: "Delete all mail" }).click();
      await page.getByRole("heading", { name: "No mail yet" }).waitFor();
      expect(page.url()).toBe(`${base}/outbox`);

      const line = (await page.locator("pre").textContent()) ?? "";
      expect(line).toContain(`curl ${base}/v1/send`);
      await sendMail(product, JSON.parse(/-d '(.*)'/s.exec(line)?.[1] ?? ""));
      await vi.waitFor(
        async () => {
          await page.reload();
          expect(await page.getByRole("link", { name: "Welcome to Petrel" }).count()).toBe(1);
        },
        { timeout: 15_000 },
      );
    });
  },
);

it("is not emptied by a form of another page", async () => {
  const { id } = await keep();
  const refused = await fetch(`${base}/outbox/empty`, {
    method: "POST",
    headers: { Origin: "https://petrel.invalid" },
  });
  expect(refused.status).toBe(400);
  expect((await fetch(`${base}/outbox/${id}`)).status).toBe(200);
});

it("answers 404 with a page for a mail that is not there", async () => {
  const answer = await fetch(`${base}/outbox/0199a0f2-0000-7000-8000-000000000000`);
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("This email is not in the outbox");
});

it("hands out a mail as a file", async () => {
  const { id } = await keep({ subject: "As a file" });
  const file = await fetch(`${base}/outbox/${id}/source.eml`);
  expect(file.headers.get("Content-Disposition")).toBe(`attachment; filename="${id}.eml"`);
  expect(await file.text()).toContain("Subject: As a file\r\n");
});

it("lists older mails on further pages", async () => {
  const to = Array.from({ length: 26 }, () => ({ email: "many@example.com" }));
  await sendMail(product, { to });
  const first = await vi.waitFor(
    async () => {
      const page = await (await fetch(`${base}/outbox?to=many@example.com`)).text();
      expect(page).toContain("Older emails");
      return page;
    },
    { timeout: 15_000 },
  );
  const next = /href="([^"]+)">Older emails/.exec(first)?.[1]?.replaceAll("&amp;", "&");
  const second = await (await fetch(`${base}${next}`)).text();
  expect(first.match(/<li>/g)).toHaveLength(25);
  expect(second.match(/<li>/g)).toHaveLength(1);
  expect(second).not.toContain("Older emails");
});
