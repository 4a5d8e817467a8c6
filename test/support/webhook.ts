import { Webhook } from "standardwebhooks";
import { vi } from "vitest";
import type { Call, Outside } from "./outside";
import type { TestProject } from "./project";
import type { World } from "./world";

export interface TestWebhook {
  id: string;
  host: string;
  secret: string;
}

/** A webhook on a host of its own, whose name resolves to the public internet. */
export async function newWebhook(world: World, project: TestProject, events: string[] = ["*"]): Promise<TestWebhook> {
  const host = newHost(world);
  const { status, body } = await project.api.post("/webhooks", { url: `https://${host}/hook`, events });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { id: body.id, host, secret: body.secret };
}

export function newHost(world: World): string {
  const host = `h${crypto.randomUUID()}.com`;
  world.dnsRecords[`A ${host}`] = ["1.1.1.1"];
  return host;
}

/** What an endpoint got, each verified by the official package. */
export function delivered(outside: Outside, { host, secret }: TestWebhook) {
  return outside.callsTo(host).map((call) => ({ id: call.headers.get("webhook-id"), ...verified(call, secret) }));
}

/** As a receiver does it at the time of the call. */
export function verified(
  call: Call,
  secret: string,
): { type: string; timestamp: string; data: Record<string, unknown> } {
  const headers = Object.fromEntries(call.headers);
  const clock = vi.spyOn(Date, "now").mockReturnValue(Number(headers["webhook-timestamp"]) * 1000);
  try {
    // The package returns what it parsed of the body, which is ours.
    return new Webhook(secret).verify(new TextDecoder().decode(call.body), headers) as ReturnType<typeof verified>;
  } finally {
    clock.mockRestore();
  }
}

export interface Delivery {
  id: string;
  type: string;
  status: string;
  attempts: number;
  nextAttemptAt: string | null;
  statusCode: number | null;
  error: string | null;
  response: string | null;
}

export async function deliveriesOf(project: TestProject, { id }: { id: string }): Promise<Delivery[]> {
  return (await project.api.get(`/webhooks/${id}/deliveries?limit=100`)).body.data;
}
