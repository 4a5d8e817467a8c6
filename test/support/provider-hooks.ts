import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import worker from "../../src/index";
import type { Answer } from "./project";

/** A call of a provider to `/hooks/{name}`. */
export interface Hook {
  body: string;
  headers: Record<string, string>;
}

const webhookSecret = "whsec_dGVzdC13ZWJob29rLXNlY3JldA==";

/** Signed as Resend signs it. */
export function svix(body: string, { at = new Date(), secret = webhookSecret } = {}): Hook {
  const id = crypto.randomUUID();
  const headers = {
    "svix-id": id,
    "svix-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "svix-signature": new Webhook(secret).sign(id, at, body),
  };
  return { body, headers };
}

export const basic = (user: string, password: string) => ({ Authorization: `Basic ${btoa(`${user}:${password}`)}` });

/** Posts to `/hooks/{name}` as anyone on the internet could. */
export async function postHook(name: string, { body, headers }: Hook, settings: object): Promise<Answer> {
  const request = new Request<unknown, IncomingRequestCfProperties>(`https://petrel.example/hooks/${name}`, {
    method: "POST",
    headers,
    body,
  });
  const execution = createExecutionContext();
  const response = await worker.fetch(request, { ...env, ...settings }, execution);
  await waitOnExecutionContext(execution);
  return { status: response.status, headers: response.headers, body: await response.json() };
}
