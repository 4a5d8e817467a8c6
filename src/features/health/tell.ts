import { sql } from "drizzle-orm";
import { alertMail, type TurnedCheck } from "../../core/operating/alert";
import { iso, secondMs } from "../../core/time";
import { asText, columns } from "../../db/rows";
import { select } from "../../db/statement";
import { sendOwnMail } from "../../engine/people/own-mail";
import type { Platform } from "../../platform/context";
import { reasonOf } from "../../platform/log";

const mostOwners = 20;
const patienceMs = 5 * secondMs;

/**
 * Tells the owners (by mail) and the operator's webhook about checks whose state changed. Returns true when the mail or
 * the call succeeded, or when there is nobody to tell. When all attempts fail, the next run of the checks tries again.
 */
export async function tell(platform: Platform, turned: readonly TurnedCheck[]): Promise<boolean> {
  const { alertWebhookUrl } = platform.config;
  const failing = turned.filter(({ status }) => status === "fail").map(({ name }) => name);
  platform.log(failing.length > 0 ? "error" : "info", "Health checks changed their state", { failing });
  const ways = [
    mailsOwners(platform) ? mailOwners(platform, turned) : null,
    alertWebhookUrl === null ? null : post(platform, alertWebhookUrl, turned),
  ].filter((way) => way !== null);
  const informed = await Promise.all(ways);
  return informed.length === 0 || informed.some((was) => was);
}

/** Whether anybody is informed about the health. */
export function reachesAnyone(platform: Platform): boolean {
  const { alertWebhookUrl, heartbeatUrl } = platform.config;
  return mailsOwners(platform) || alertWebhookUrl !== null || heartbeatUrl !== null;
}

/** Whether mail reaches owners. Mail in the outbox does not, because no owner watches the outbox. */
function mailsOwners({ config }: Platform): boolean {
  return config.consoleFrom !== null && config.mail.provider.name !== "outbox";
}

/**
 * Calls the heartbeat URL. The service behind it raises an alarm when calls stop, which covers an outage of the whole
 * Worker.
 */
export async function beat(platform: Platform): Promise<void> {
  const { heartbeatUrl } = platform.config;
  if (heartbeatUrl !== null) await call(platform, heartbeatUrl, { method: "GET" });
}

async function mailOwners(platform: Platform, turned: readonly TurnedCheck[]): Promise<boolean> {
  const owners = await select(
    platform.control,
    sql`SELECT email FROM people WHERE is_owner ORDER BY id LIMIT ${mostOwners}`,
    columns({ email: asText }),
  );
  const mail = alertMail(turned, hostOf(platform));
  const sent = await Promise.all(
    owners.map(({ email }) =>
      sendOwnMail(platform, email, mail).catch((error: unknown) => {
        platform.log("warn", "An owner could not be informed about the health", { reason: reasonOf(error) });
        return false;
      }),
    ),
  );
  return sent.some((was) => was);
}

function post(platform: Platform, url: string, turned: readonly TurnedCheck[]): Promise<boolean> {
  const event = {
    type: "health.turned",
    timestamp: iso(platform.now.getTime()),
    data: { host: hostOf(platform), checks: turned },
  };
  const headers = { "Content-Type": "application/json" };
  return call(platform, url, { method: "POST", headers, body: JSON.stringify(event) });
}

/** The operator chose the URL, so it is called without the checks for tenants' URLs. */
async function call(platform: Platform, url: string, init: RequestInit): Promise<boolean> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
    await answer.body?.cancel();
    if (answer.ok) return true;
    platform.log("warn", "A URL of the operator refused a call", { status: answer.status });
  } catch (error) {
    platform.log("warn", "A URL of the operator does not answer", { reason: reasonOf(error) });
  }
  return false;
}

function hostOf({ config }: Platform): string {
  return config.baseUrl === null ? "this installation" : new URL(config.baseUrl).host;
}
