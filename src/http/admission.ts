import type { Context as HonoContext, MiddlewareHandler, Next } from "hono";
import type { BucketState } from "../core/bucket";
import { RateLimited, Unavailable } from "../core/errors";
import {
  type Claim,
  isIdempotencyKey,
  type KeyEffect,
  type KeyUse,
  type OriginalRequest,
  redactedFor,
} from "../core/idempotency";
import { InvalidIdempotencyKey, KeyReused } from "../core/idempotency-errors";
import { isTrouble } from "../db/trouble";
import type { Context } from "../platform/context";
import type { OwnedKey } from "../platform/gate";
import { reasonOf } from "../platform/log";
import { bucketsFor, publicName } from "./buckets";
import { isForProject } from "./policy";
import type { AppEnv } from "./router";

/** Finds the effect of an idempotency key in the database; null when there is none. */
type FindEffect = (ctx: Context, key: string) => Promise<KeyEffect | null>;

/**
 * Admits a project's request. One call to the project's gate checks the rate limits and the idempotency key of the
 * request. A request that needs neither check makes no call. When the gate does not answer, requests without a key
 * proceed. Requests with a key are refused, because they cannot claim it.
 */
export function admission(findEffect: FindEffect): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const policy = c.get("policy");
    if (!isForProject(policy)) return next();
    const ctx = c.get("ctx");
    const address = c.req.header("CF-Connecting-IP");
    const buckets = bucketsFor(policy, ctx.config.rateLimits, {
      project: ctx.project,
      caller: ctx.callerKind,
      address,
      person: c.get("visitor")?.person.id ?? null,
    });
    const given = givenKey(c);
    const owned = given !== null && isIdempotencyKey(given) ? useOf(c, given) : null;
    if (buckets.length > 0 || owned !== null) {
      const key = owned && { ...owned, ttlMs: ctx.config.idempotencyTtlMs };
      const admitted = await ctx.gate.admit(ctx.project.id, { buckets, key });
      if (admitted?.rate) heedRate(c, admitted.rate);
      if (owned !== null && admitted === null) {
        // The lost call might have claimed the key, but the caller's next attempt must find it free.
        ctx.later(ctx.gate.release(ctx.project.id, owned));
        throw gateOutOfReach();
      }
      if (owned !== null && admitted?.claim) return runOnce(c, next, owned, admitted.claim, findEffect);
    }
    if (given !== null && !isIdempotencyKey(given)) {
      throw new InvalidIdempotencyKey(c.req.header("Idempotency-Key") === undefined ? "body" : "header");
    }
    return next();
  };
}

/**
 * Checks the rate limits of a request by a link that we signed, after its route has found the project. The request
 * counts like one with a secret key, because the link comes from a call with such a key.
 */
export async function admitByLink(c: HonoContext<AppEnv>, ctx: Context): Promise<void> {
  const caller = { project: ctx.project, caller: ctx.callerKind, address: undefined, person: null };
  const buckets = bucketsFor(c.get("policy"), ctx.config.rateLimits, caller);
  if (buckets.length === 0) return;
  const admitted = await ctx.gate.admit(ctx.project.id, { buckets, key: null });
  if (admitted?.rate) heedRate(c, admitted.rate);
}

/** Describes the rate in the answer, and throws RateLimited when it is used up. */
function heedRate(c: HonoContext<AppEnv>, rate: { isAllowed: boolean } & BucketState): void {
  describeRate(c, rate);
  if (!rate.isAllowed) throw new RateLimited(publicName(rate.name), rate.retryAfterSeconds);
}

export function gateOutOfReach(): Unavailable {
  return new Unavailable("Idempotency keys cannot be checked at the moment.", {
    retryAfterSeconds: 1,
    suggestion: "Send the same request with the same key again in a second.",
  });
}

/** Returns the key of the request; null when it has none, or when its route accepts none. */
export function givenKey(c: HonoContext<AppEnv>): string | null {
  if (!c.get("policy").once) return null;
  return c.req.header("Idempotency-Key") ?? c.get("idempotencyKeyInBody") ?? null;
}

/** A key that this request claims. */
type Claimed = OwnedKey & KeyUse;

/**
 * Returns what a request needs in order to claim its key. Null when the body could not be read, because such a request
 * is refused without claiming anything.
 */
function useOf(c: HonoContext<AppEnv>, key: string): Claimed | null {
  const body = c.get("keyedBody");
  if (body === undefined || "fault" in body) return null;
  const { callerKind: kind } = c.get("ctx");
  return { kind, key, owner: crypto.randomUUID(), request: requestOf(c), hash: body.hash };
}

/** Returns the name of the request, such as `POST /v1/send`, which is stored with its idempotency key. */
export function requestOf(c: HonoContext<AppEnv>): string {
  return `${c.req.method} ${c.req.path}`;
}

function describeRate(c: HonoContext, rate: BucketState): void {
  c.header("RateLimit-Limit", String(rate.limit));
  c.header("RateLimit-Remaining", String(rate.remaining));
  c.header("RateLimit-Reset", String(rate.resetSeconds));
}

async function runOnce(
  c: HonoContext<AppEnv>,
  next: Next,
  owned: Claimed,
  claim: Claim,
  findEffect: FindEffect,
): Promise<void> {
  const ctx = c.get("ctx");
  if (claim.kind === "taken") {
    throw new KeyReused(owned, redactedFor(ctx, await answered(ctx, owned.key, claim.original, findEffect)));
  }
  if (claim.kind === "inherited") {
    const effect = await findEffect(ctx, owned.key);
    if (effect) {
      await ctx.gate.complete(ctx.project.id, owned, effect);
      throw new KeyReused(owned, redactedFor(ctx, effect));
    }
  }
  c.set("ctx", { ...ctx, idempotencyKey: owned.key, requestHash: owned.hash });
  await next();
  await settle(c, owned, findEffect);
}

/**
 * Returns the answer of the request that used the key first. The gate only learns of an answer after it was sent. If
 * the caller repeats the request at once, the answer therefore comes from the database.
 */
async function answered(ctx: Context, key: string, original: OriginalRequest, findEffect: FindEffect) {
  return original.status === null ? ((await findEffect(ctx, key)) ?? original) : original;
}

/**
 * Settles the key after the answer was sent. After a success, the key stores the answer. A refusal had no effect and
 * releases the key. After a failure, the database shows whether there was an effect.
 */
async function settle(c: HonoContext<AppEnv>, owned: OwnedKey, findEffect: FindEffect): Promise<void> {
  const ctx = c.get("ctx");
  const { status } = c.res;
  if (status < 300) {
    const response = await c.res.clone().text();
    return ctx.afterAnswer(ctx.gate.complete(ctx.project.id, owned, { status, response }));
  }
  if (status < 500 && !(c.error instanceof KeyReused)) return ctx.gate.release(ctx.project.id, owned);
  const effect = await findEffect(ctx, owned.key).catch((error: unknown) => {
    // Reading the effect failed too. The caller gets the first error, which tells what might have been written.
    if (c.error === undefined || !isTrouble(error)) throw error;
    ctx.log("warn", "What a key has done is not known yet", { reason: reasonOf(error) });
    return "unknown" as const;
  });
  // The claim stays, and the next request that takes it over checks again.
  if (effect === "unknown") return;
  if (effect) {
    // KeyReused means that the database knew the key: an earlier request had the effect.
    const isOthers = c.error instanceof KeyReused;
    return ctx.gate.complete(ctx.project.id, owned, isOthers ? effect : { ...effect, status });
  }
  return ctx.gate.release(ctx.project.id, owned);
}
