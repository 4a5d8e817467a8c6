import { once } from "node:events";
import { get } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { expect, inject, it } from "vitest";

const { base } = inject("product");

const address = "/console/p/01a2";
/** Within them, the first screen is there after a second of 1.6 Mbit/s, its work included. */
const maxEntryBytes = 120_000;
const maxPageBytes = 60_000;
const maxEditorBytes = 220_000;

async function textOf(path: string): Promise<string> {
  const answer = await fetch(base + path);
  expect(answer.status, path).toBe(200);
  return answer.text();
}

const known = new Map<string, number>();

function bytesOf(text: string): number {
  const bytes = known.get(text) ?? brotliCompressSync(text).length;
  known.set(text, bytes);
  return bytes;
}

/** The files that a script loads with it. */
async function loadedBy(file: string, known = new Map<string, string>()): Promise<Map<string, string>> {
  if (known.has(file)) return known;
  const source = await textOf(`/console/assets/${file}`);
  known.set(file, source);
  for (const [, next = ""] of source.matchAll(/(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g))
    await loadedBy(next, known);
  return known;
}

const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0);

/** The files that a script loads when they are needed. */
const lazilyLoadedBy = (source: string) => [
  ...new Set([...source.matchAll(/import\(\s*["'`]\.\/([\w-]+\.js)["'`]\s*\)/g)].map(([, file = ""]) => file)),
];

it("comes with 120 KB at most, and a page adds 60 KB at most, and an editor 220 KB, compressed", async () => {
  const page = await textOf(address);
  const styles = [...page.matchAll(/href="(\/console\/assets\/[\w-]+\.css)"/g)].map(([, path = ""]) => path);
  const entry = new Map<string, string>();
  // The first script, and those that the page names so that they come beside it.
  for (const [, file = ""] of page.matchAll(/(?:src|href)="\/console\/assets\/([\w-]+\.js)"/g))
    await loadedBy(file, entry);
  const entryBytes = sum([...entry.values(), ...(await Promise.all(styles.map(textOf)))].map(bytesOf));
  expect(entryBytes).toBeGreaterThan(50_000);
  expect(entryBytes).toBeLessThanOrEqual(maxEntryBytes);

  const lazily = [...entry.values()].flatMap(lazilyLoadedBy).filter((file) => !entry.has(file));
  expect(lazily.length).toBeGreaterThanOrEqual(7);
  const editors: string[] = [];
  for (const file of lazily) {
    const loaded = await loadedBy(file);
    const added = [...loaded].filter(([name]) => !entry.has(name));
    expect(sum(added.map(([, source]) => bytesOf(source))), file).toBeLessThanOrEqual(maxPageBytes);
    const later = lazilyLoadedBy(loaded.get(file) ?? "").filter((name) => !entry.has(name));
    for (const editor of later) {
      const more = [...(await loadedBy(editor))].filter(([name]) => !entry.has(name) && !loaded.has(name));
      expect(sum(more.map(([, source]) => bytesOf(source))), editor).toBeLessThanOrEqual(maxEditorBytes);
      editors.push(editor);
    }
  }
  expect(editors.length).toBeGreaterThanOrEqual(1);
});

it("is one page at every address, with nothing inline and a policy that allows nothing from elsewhere", async () => {
  for (const path of [
    address,
    "/console/p/01a2/emails",
    "/console/p/01a2/emails/01a3",
    "/console/p/01a2/campaigns/01a3/edit",
  ]) {
    const answer = await fetch(base + path);
    const page = await answer.text();
    expect(answer.headers.get("Content-Security-Policy")).toBe(
      "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; frame-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    );
    expect(page).not.toMatch(/<style|<script(?![^>]* src="\/console\/assets\/)[^>]*>|\son\w+=|https?:/i);
  }
});

it("keeps its files for ever, and its page not at all", async () => {
  const answer = await fetch(base + address);
  const [, main = ""] = /src="([^"]+\.js)"/.exec(await answer.text()) ?? [];
  expect(answer.headers.get("Cache-Control")).toBe("no-cache");
  const tag = answer.headers.get("ETag") ?? "";
  expect((await fetch(base + address, { headers: { "If-None-Match": tag } })).status).toBe(304);
  expect((await fetch(base + main)).headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
  for (const file of ["none-12345678.js", "..%2Findex.html", "index.html"]) {
    expect((await fetch(`${base}/console/assets/${file}`)).status, file).toBe(404);
  }
});

it("sends its scripts compressed as well as can be to a browser that reads it, and to others otherwise", async () => {
  const [, script = ""] = /src="([^"]+\.js)"/.exec(await textOf(address)) ?? [];
  const sentTo = async (encoding: string) => {
    const [answer] = await once(get(base + script, { headers: { "Accept-Encoding": encoding } }), "response");
    return { encoding: answer.headers["content-encoding"], vary: answer.headers.vary, body: await buffer(answer) };
  };
  const [compressed, plain] = [await sentTo("br"), await sentTo("identity")];
  expect(compressed).toMatchObject({ encoding: "br", vary: "Accept-Encoding" });
  expect(plain.encoding).toBeUndefined();
  expect(brotliDecompressSync(compressed.body)).toEqual(plain.body);
  expect(compressed.body.length).toBe(bytesOf(plain.body.toString()));
});

async function preview(headers: Record<string, string>, fields: Record<string, string>): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return fetch(`${base}/console/preview`, { method: "POST", headers, body });
}

it("shows mail in a frame that runs no script, sends no form and loads images only when asked to", async () => {
  const html = "<p>Hi</p><script>alert(1)</script>";
  const answer = await preview({ Origin: base }, { html });
  expect(await answer.text()).toBe(html);
  const strict =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";
  expect(answer.headers.get("Content-Security-Policy")).toBe(strict);
  const withImages = await preview({ Origin: base }, { html, images: "load" });
  expect(withImages.headers.get("Content-Security-Policy")).toBe(strict.replace("data:;", "data: https: http:;"));

  const elsewhere: Record<string, string>[] = [{}, { Origin: "https://elsewhere.example" }, { Origin: "null" }];
  for (const headers of elsewhere) {
    const refused = await preview(headers, { html });
    expect(refused.status).toBe(400);
    expect(refused.headers.get("Content-Type")).toMatch(/^application\/json/);
  }
});

it("refuses a mail to show that is larger than any", async () => {
  const answer = await preview({ Origin: base }, { html: "a".repeat(6 * 1024 * 1024) });
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ error: { code: "PAYLOAD_TOO_LARGE" } });
});
