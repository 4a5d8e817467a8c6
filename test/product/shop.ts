import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect, vi } from "vitest";
import { snippet } from "../../src/http/snippet-script";
import type { Product } from "./product";

interface Keys {
  secret: string;
  public: string;
}

/** A site with the snippet in its pages, of a project of its own, and a visitor's browser. */
export interface Shop {
  projectId: string;
  keys: Keys;
  context: BrowserContext;
  /** Errors in the console of the pages, and exceptions. */
  complaints: string[];
  /** The faults of the line to the product, and how many events and batches of them it has carried. */
  line: { isBlocked: boolean; lostAnswers: number; posts: number };
  /** Opens a page of the shop; with `isTimeless`, under a clock that the test moves. */
  visit(path?: string, options?: { isTimeless?: boolean; said?: string }): Promise<Page>;
  api<T>(token: string, method: string, path: string, body?: unknown): Promise<T>;
  /** The events that the product has, the first one first. */
  eventNames(): Promise<string[]>;
  expectEvents(...names: string[]): Promise<void>;
  close(): Promise<void>;
}

/** `petrel(…)` in the page. */
export function say(page: Page, ...given: unknown[]): Promise<unknown> {
  return page.evaluate(`petrel(${given.map((one) => JSON.stringify(one)).join(", ")})`);
}

/** The events that wait in the browser. */
export function waiting(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`Object.keys(localStorage).filter((name) => name.startsWith("petrel:"))`);
}

export async function openShop(browser: Browser, { base, adminToken }: Product): Promise<Shop> {
  async function api<T>(token: string, method: string, path: string, body?: unknown): Promise<T> {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const init = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
    const response = await fetch(base + path, init);
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    // What each of the calls answers.
    return (await response.json()) as T;
  }

  const { project, keys } = await api<{ project: { id: string }; keys: Keys }>(adminToken, "POST", "/admin/projects", {
    name: "Shop",
  });
  const line = { isBlocked: false, lostAnswers: 0, posts: 0 };
  const door = await listen((request, answer) => passOn(request, answer, base, line));
  const site = await listen(async ({ url }, answer) =>
    showPage(answer, originOf(door), keys.public, url === "/sandbox"),
  );
  const complaints: string[] = [];
  const context = await browser.newContext();

  async function eventNames() {
    const { data } = await api<{ data: { name: string }[] }>(keys.secret, "GET", "/events?limit=100");
    return data.map(({ name }) => name).reverse();
  }

  return {
    projectId: project.id,
    keys,
    context,
    complaints,
    line,
    async visit(path = "/", { isTimeless = false, said = "" } = {}) {
      const page = await context.newPage();
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      if (isTimeless) await page.clock.install();
      if (said) await page.addInitScript(said);
      await page.goto(originOf(site) + path);
      if (!line.isBlocked) await page.waitForFunction("!petrel.q");
      return page;
    },
    api,
    eventNames,
    async expectEvents(...names) {
      await vi.waitFor(async () => expect(await eventNames()).toEqual(names), { timeout: 20_000, interval: 100 });
    },
    async close() {
      await context.close();
      for (const server of [door, site]) server.close();
    },
  };
}

async function listen(handle: (request: IncomingMessage, answer: ServerResponse) => Promise<unknown>) {
  const server = createServer((request, answer) => void handle(request, answer));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A page with a strict policy. One that is sandboxed has no storage. */
function showPage(answer: ServerResponse, service: string, key: string, isSandboxed: boolean) {
  const policy = `default-src 'none'; img-src data:; script-src 'nonce-a' ${service}; connect-src ${service}`;
  answer.setHeader("Content-Security-Policy", isSandboxed ? `${policy}; sandbox allow-scripts` : policy);
  answer.setHeader("Content-Type", "text/html");
  answer.end(`<!doctype html><title>Shop</title><link rel="icon" href="data:,">
<script nonce="a">window.petrel = window.petrel || function () { (petrel.q = petrel.q || []).push(arguments) }</script>
<script async src="${service}/petrel/1.js" data-key="${key}" integrity="${snippet.integrity}" crossorigin></script>`);
}

/** The product, behind a line that may be blocked, or lose answers. */
async function passOn(request: IncomingMessage, answer: ServerResponse, base: string, line: Shop["line"]) {
  let body = "";
  for await (const chunk of request) body += chunk;
  if (line.isBlocked) return answer.destroy();
  const { url = "", method = "GET" } = request;
  if (method === "POST") line.posts++;
  const headers = { "Content-Type": request.headers["content-type"] ?? "" };
  const passed = await fetch(base + url, { method, headers, body: body || null });
  if (method === "POST" && line.lostAnswers-- > 0) return answer.destroy();
  const ofLine = /^(content-encoding|transfer-encoding|content-length)$/;
  const kept = [...passed.headers].filter(([name]) => !ofLine.test(name));
  return answer.writeHead(passed.status, Object.fromEntries(kept)).end(await passed.text());
}
