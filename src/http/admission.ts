import type { Context as HonoContext, MiddlewareHandler, Next } from "hono";
import type { BucketState } from "../core/bucket";
import { InvalidIdempotencyKey, KeyReused, RateLimited, Unavailable } from "../core/errors";
import { type Claim, type Effect, isIdempotencyKey } from "../core/idempotency";
import type { Context } from "../platform/context";
import type { OwnedKey } from "../platform/gate";
import { bucketsFor } from "./buckets";
import { isForProject } from "./policy";
import type { AppEnv } from "./router";

/** Looks up in the database what a key has done; null when nothing. */
type FindEffect = (ctx: Context, key: string) => Promise<Effect | null>;

/**
 * Lets a project's request pass its gate: one call for its rate and its idempotency key, none when it needs neither.
 * With the gate out of reach, requests without a key go on, and those with one are asked to come again: their caller
 * asked for "not twice", and a guess would break that.
 */
export function admission(findEffect: FindEffect): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const policy = c.get("policy");
    if (!isForProject(policy)) return next();
    const ctx = c.get("ctx");
    const buckets = bucketsFor(policy, ctx.config.rateLimits, ctx.project);
    const given = givenKey(c);
    const owned =
      given !== null && isIdempotencyKey(given) ? { kind: ctx.keyKind, key: given, owner: crypto.randomUUID() } : null;
    if (buckets.length > 0 || owned !== null) {
      const request = `${c.req.method} ${c.req.path}`;
      const key = owned && { ...owned, request, ttlMs: ctx.config.idempotencyTtlMs };
      const admitted = await ctx.gate.admit(ctx.project.id, { buckets, key });
      if (admitted?.rate) describeRate(c, admitted.rate);
      if (admitted?.rate?.isAllowed === false) {
        throw new RateLimited(admitted.rate.name, admitted.rate.retryAfterSeconds);
      }
      if (owned !== null && admitted === null) {
        // It may have claimed the key all the same, and whoever comes again must find it free.
        ctx.later(ctx.gate.release(ctx.project.id, owned));
        throw gateOutOfReach();
      }
      if (owned !== null && admitted?.claim) return runOnce(c, next, owned, admitted.claim, findEffect);
    }
    if (given !== null && owned === null) throw new InvalidIdempotencyKey();
    return next();
  };
}

function gateOutOfReach(): Unavailable {
  return new Unavailable("Idempotency keys cannot be checked at the moment.", {
    retryAfterSeconds: 1,
    suggestion: "Send the same request with the same key again in a second.",
  });
}

function givenKey(c: HonoContext<AppEnv>): string | null {
  return c.get("policy").once ? (c.req.header("Idempotency-Key") ?? null) : null;
}

function describeRate(c: HonoContext, rate: BucketState): void {
  c.header("RateLimit-Limit", String(rate.limit));
  c.header("RateLimit-Remaining", String(rate.remaining));
  c.header("RateLimit-Reset", String(rate.resetSeconds));
}

async function runOnce(
  c: HonoContext<AppEnv>,
  next: Next,
  owned: OwnedKey,
  claim: Claim,
  findEffect: FindEffect,
): Promise<void> {
  const ctx = c.get("ctx");
  if (claim.kind === "taken") throw new KeyReused(owned.key, claim.original);
  if (claim.kind === "inherited") {
    const effect = await findEffect(ctx, owned.key);
    if (effect) {
      await ctx.gate.complete(ctx.project.id, owned, effect);
      throw new KeyReused(owned.key, effect);
    }
  }
  c.set("ctx", { ...ctx, idempotencyKey: owned.key });
  await next();
  await settle(c, owned, findEffect);
}

/** A success keeps the key, with its answer. A refusal had no effect and gives it back. A failure asks the database. */
async function settle(c: HonoContext<AppEnv>, owned: OwnedKey, findEffect: FindEffect): Promise<void> {
  const ctx = c.get("ctx");
  const { status } = c.res;
  if (status < 300) return ctx.gate.complete(ctx.project.id, owned, { status, response: await c.res.clone().text() });
  if (status < 500 && !(c.error instanceof KeyReused)) return ctx.gate.release(ctx.project.id, owned);
  // If the database does not answer either, the claim stays, and whoever inherits it asks again.
  const effect = await findEffect(ctx, owned.key);
  if (effect) {
    // A key that the database knew was answered well by somebody else, before.
    const isOthers = c.error instanceof KeyReused;
    return ctx.gate.complete(ctx.project.id, owned, isOthers ? effect : { ...effect, status });
  }
  return ctx.gate.release(ctx.project.id, owned);
}
