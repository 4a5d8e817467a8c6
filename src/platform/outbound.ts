import { hostName } from "../core/dns";
import { Unavailable } from "../core/errors";
import { expiringCache } from "../core/expiring-cache";
import { readRetryAfter } from "../core/mail/retry-after";
import { isPublicAddress } from "../core/outbound/address";
import { headerFault } from "../core/outbound/headers";
import { isRedirect, type OutboundCall, redirected } from "../core/outbound/redirect";
import { type JudgedUrl, judgeUrl, type OutboundRules } from "../core/outbound/url";
import type { OutboundResult } from "../core/outbound/verdict";
import { secondMs } from "../core/time";
import type { Platform } from "./context";
import { reasonOf } from "./log";

export type { OutboundCall };

type OutboundSettings = Pick<Platform, "config" | "origin">;

const patienceMs = 10 * secondMs;
const maxRedirects = 3;
const maxAnswerBytes = 10 * 1024;
const resolvedForMs = 60 * secondMs;

/** Cached verdicts on the addresses of a host name. `fault` is a sentence, or null when all addresses are public. */
const verdicts = expiringCache<{ fault: string | null }>({ ttlMs: resolvedForMs, maxEntries: 5_000 });

/** Judges a URL by its text alone, when it is accepted. Nothing is resolved. */
export function judgeOutboundUrl(settings: OutboundSettings, written: string): JudgedUrl {
  return judgeUrl(written, rulesOf(settings));
}

function rulesOf({ config, origin }: OutboundSettings): OutboundRules {
  const own = [config.baseUrl, origin].flatMap((url) => (url === null ? [] : [hostName(new URL(url).hostname)]));
  return { ownHosts: new Set(own), allowedLoopback: config.outboundAllowLoopback };
}

/**
 * Calls a URL that a tenant named, and never throws. Each hop is judged, and its name resolved, before it is called.
 * `fetch` cannot be told which address to call, so the name could still change between our lookup and that of `fetch`.
 * In production `global_fetch_strictly_public` (wrangler.toml) guards against that.
 */
export async function callOutbound(
  platform: Pick<Platform, "config" | "origin" | "dns" | "clock">,
  call: OutboundCall,
): Promise<OutboundResult> {
  return followUp(platform, call, AbortSignal.timeout(patienceMs));
}

const tooLate: OutboundResult = { kind: "timed out", reason: "No answer came within 10 seconds." };

async function followUp(
  platform: Pick<Platform, "config" | "origin" | "dns" | "clock">,
  first: OutboundCall,
  signal: AbortSignal,
): Promise<OutboundResult> {
  const fault = Object.entries(first.headers).flatMap(([name, value]) => headerFault(name, value) ?? [])[0];
  if (fault !== undefined) return { kind: "refused", reason: `${fault}.` };
  let call = first;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const judged = judgeOutboundUrl(platform, call.url);
    if (judged.kind === "refused") return judged;
    const unreachable = judged.name === null ? null : await untilLate(resolve(platform, judged.name), signal);
    if (unreachable === late || signal.aborted) return tooLate;
    if (unreachable !== null) return unreachable;
    const answer = await fetchOnce(judged.url, call, signal);
    if (!(answer instanceof Response)) return answer;
    if (!isRedirect(answer.status)) return readAnswer(platform, answer, signal);
    // Not awaited, because for some streams the promise never settles.
    answer.body?.cancel().catch(() => {});
    const next = redirected(call, judged.url, answer.status, answer.headers.get("Location"));
    if (typeof next === "string") return { kind: "refused", reason: next };
    call = next;
  }
  return { kind: "failed", reason: `It redirects more than ${maxRedirects} times.` };
}

async function fetchOnce(url: URL, { method, headers, body }: OutboundCall, signal: AbortSignal) {
  try {
    return await fetch(url, { method, headers, body, redirect: "manual", signal });
  } catch (error) {
    if (signal.aborted) return tooLate;
    return { kind: "failed" as const, reason: `The call failed: ${reasonOf(error)}` };
  }
}

/**
 * Resolves a host name. Returns null when all its addresses are public. A single private address is enough for a
 * refusal, because `fetch` may call any of them.
 */
async function resolve({ dns, clock }: Pick<Platform, "dns" | "clock">, name: string): Promise<OutboundResult | null> {
  const known = verdicts.get(name, clock().getTime());
  if (known !== undefined) return known.fault === null ? null : { kind: "refused", reason: known.fault };
  try {
    const addresses = [...(await dns.lookupUncached(name, "A")), ...(await dns.lookupUncached(name, "AAAA"))];
    // Not cached, so that the next attempt finds a name that has just received its first address.
    if (addresses.length === 0) return { kind: "failed", reason: `The name ${name} has no address.` };
    const isPublic = addresses.every(isPublicAddress);
    const fault = isPublic ? null : `The name ${name} has an address that is not on the public internet.`;
    verdicts.set(name, { fault }, clock().getTime());
    return fault === null ? null : { kind: "refused", reason: fault };
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return { kind: "unresolved", reason: error.message };
  }
}

/** Reads an answer. Only the status is required. At most 10 KB of the body are read, for at most the remaining time. */
async function readAnswer(
  { clock }: Pick<Platform, "clock">,
  answer: Response,
  signal: AbortSignal,
): Promise<OutboundResult> {
  const retryAfterMs = readRetryAfter(answer.headers.get("Retry-After"), clock().getTime()) ?? null;
  return { kind: "answered", status: answer.status, body: await beginningOf(answer, signal), retryAfterMs };
}

async function beginningOf({ body }: Response, signal: AbortSignal): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    while (length < maxAnswerBytes) {
      const read = await untilLate(reader.read(), signal);
      if (read === late || read.done) break;
      chunks.push(read.value);
      length += read.value.byteLength;
    }
    reader.cancel().catch(() => {});
  } catch {
    // The status is known, and the part of the body that arrived is used.
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return new TextDecoder().decode(bytes.subarray(0, maxAnswerBytes));
}

const late = Symbol("late");

/**
 * Stops waiting for work when the signal fires, and returns `late`. Used for work that cannot be aborted, such as a
 * lookup.
 */
async function untilLate<T>(work: Promise<T>, signal: AbortSignal): Promise<T | typeof late> {
  if (signal.aborted) return late;
  let stop = () => {};
  const aborted = new Promise<typeof late>((resolve) => {
    stop = () => resolve(late);
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
