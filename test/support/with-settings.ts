import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src/index";
import type { Env } from "../../src/platform/env";
import type { Answer } from "./project";

/** Calls the Worker as it would answer with other settings than those of the tests. */
export async function callWith(
  settings: Partial<Env>,
  method: string,
  path: string,
  {
    token,
    body,
    headers = {},
    host = "petrel.example",
  }: { token?: string; body?: unknown; headers?: Record<string, string>; host?: string } = {},
): Promise<Answer> {
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://${host}${path}`, {
    method,
    headers: token === undefined ? headers : { ...headers, Authorization: `Bearer ${token}` },
    body: body === undefined || body instanceof FormData ? body : JSON.stringify(body),
  });
  const execution = createExecutionContext();
  const response = await worker.fetch(request, { ...env, ...settings }, execution);
  const text = await response.text();
  await waitOnExecutionContext(execution);
  const isJson = response.headers.get("Content-Type")?.includes("json");
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
