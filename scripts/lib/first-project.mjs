import { setTimeout as sleep } from "node:timers/promises";
import { apiOf } from "./api.mjs";
import { DEMO_DOMAIN } from "./demo.mjs";
import { Failure } from "./failure.mjs";
import { firstOwnerLink } from "./owner-link.mjs";

export const FIRST_PROJECT = "First project";
const UP_WITHIN_MS = 90_000;
const OPEN_WITHIN_MS = 30_000;
const CALLS_WITHIN_MS = 60_000;

/**
 * Waits for a new address, which takes a moment to become known everywhere. Returns false when it does not answer in
 * time.
 */
export async function untilUp(base) {
  return within(UP_WITHIN_MS, async () => {
    const response = await fetch(`${base}/health`, { signal: AbortSignal.timeout(5_000) });
    return response.ok;
  });
}

/**
 * Creates a project with both keys if there is none yet; otherwise returns null. A new token may take some seconds to
 * work.
 */
export async function openFirstProject({ base, adminToken, isTokenNew, isSandbox }) {
  const call = apiOf(base, AbortSignal.timeout(CALLS_WITHIN_MS));
  const list = () => call("GET", "/admin/projects?limit=1", { key: adminToken, accept: isTokenNew ? [401, 404] : [] });
  const page = (await list()) ?? (await within(OPEN_WITHIN_MS, list));
  if (!page) throw new Failure("The operator's API did not open in time.");
  if (page.data.length > 0) return null;
  // Created first, so that when this fails, no project is created whose keys would get lost.
  const link = await firstOwnerLink({ call, base, adminToken });
  const { keys } = await call("POST", "/admin/projects", { key: adminToken, body: { name: FIRST_PROJECT } });
  // In a sandbox this domain is verified at once.
  if (isSandbox) await call("POST", "/domains", { key: keys.secret, body: { domain: DEMO_DOMAIN } });
  return { secretKey: keys.secret, publicKey: keys.public, link };
}

/** Repeats an attempt until it returns something, and returns that. */
async function within(limitMs, attempt) {
  const deadline = Date.now() + limitMs;
  for (;;) {
    // No answer counts as "not yet".
    const result = await attempt().catch(() => null);
    if (result || Date.now() > deadline) return result;
    await sleep(500);
  }
}
