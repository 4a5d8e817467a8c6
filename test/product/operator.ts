import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "vitest";
import type { Product } from "./product";

/** An installation as its operator has it: calls, and the scripts of a checkout. */
export interface Operator {
  api<Body>(key: string, method: string, path: string, body?: unknown): Promise<Body>;
  /** Returns the status of a call alone, or the code of its refusal. */
  statusOf(key: string, method: string, path: string, body?: unknown): Promise<number>;
  codeOf(key: string, method: string, path: string, body?: unknown): Promise<string | undefined>;
  /** Runs a script as npm does. */
  run(name: string, ...args: string[]): Promise<{ code: number; out: string; err: string }>;
}

export function operatorOf({ base, stateDir }: Pick<Product, "base" | "stateDir">): Operator {
  async function call(key: string, method: string, path: string, body?: unknown): Promise<Response> {
    const headers = {
      Authorization: `Bearer ${key}`,
      ...(body instanceof FormData ? {} : { "Content-Type": "application/json" }),
    };
    const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
    return fetch(base + path, { method, headers, ...(sent === undefined ? {} : { body: sent }) });
  }
  return {
    async api<Body>(key: string, method: string, path: string, body?: unknown) {
      const response = await call(key, method, path, body);
      expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
      const text = await response.text();
      // What each of the calls answers.
      return (text === "" ? undefined : JSON.parse(text)) as Body;
    },
    async statusOf(...given) {
      const response = await call(...given);
      await response.arrayBuffer();
      return response.status;
    },
    async codeOf(...given) {
      const response = await call(...given);
      return ((await response.json()) as { error?: { code: string } }).error?.code;
    },
    run(name, ...args) {
      const env = { ...process.env, STATE_DIR: stateDir };
      return promisify(execFile)(process.execPath, [`scripts/${name}.mjs`, ...args], { env }).then(
        ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
        ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
      );
    },
  };
}
