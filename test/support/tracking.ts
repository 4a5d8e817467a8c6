import { exports } from "cloudflare:workers";
import { expect, vi } from "vitest";
import type { Answer, TestProject } from "./project";

/** What a person's browser says about itself. */
export const browser =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Safari/537.36";

/** Calls a URL of a mail as a mail program or a browser does, and follows no redirect. */
export async function follow(
  url: string,
  {
    method = "GET",
    agent = browser,
    headers = {},
  }: { method?: string; agent?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return exports.default.fetch(url, { method, redirect: "manual", headers: { "User-Agent": agent, ...headers } });
}

const clickUrl = /https:\/\/petrel\.example\/c\/[\w-]+/g;
const pixelUrl = /https:\/\/petrel\.example\/o\/[\w-]+/;

/** The links of a mail that lead through us, in order. */
export function clickUrls(text: string): string[] {
  return text.match(clickUrl) ?? [];
}

export function pixelUrlIn(html: string): string {
  return pixelUrl.exec(html)?.[0] ?? "";
}

/** The record of an email once these are true of it. */
export async function emailWith(
  project: TestProject,
  emailId: string,
  expected: Record<string, unknown>,
): Promise<Answer["body"]> {
  return vi.waitFor(
    async () => {
      const { body } = await project.api.get(`/emails/${emailId}`);
      expect(body).toMatchObject(expected);
      return body;
    },
    // Hits are collected for a second, and each look takes as long as a call.
    { timeout: 15_000, interval: 80 },
  );
}
