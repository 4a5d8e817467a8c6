import { sql } from "drizzle-orm";
import { redactedFor } from "../../core/idempotency";
import { KeyReused } from "../../core/idempotency-errors";
import { type Id, publicId } from "../../core/ids";
import type { TrashType } from "../../core/trash";
import type { Statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import { findEffect, insertEffect } from "../idempotency/effect";
import { type Bodied, storedAnswer } from "../idempotency/stored-answer";

/** The resource that a call restores. */
interface Restored {
  type: TrashType;
  id: Id;
}

const requestOf = ({ type, id }: Restored) => `POST /trash/${type}/${publicId(id)}/restore`;

/**
 * Inserts the answer of a restore, if its call has an idempotency key, last in the batch that restores the resource.
 * `answer` describes the resource as it will be, because it does not exist before the commit.
 */
export async function insertAnswer(
  ctx: Context,
  restored: Restored,
  answer: () => Bodied | Promise<Bodied>,
): Promise<Statement[]> {
  if (ctx.idempotencyKey === null) return [];
  const response = sql`${storedAnswer(await answer(), (resource) => resource)}`;
  return insertEffect(ctx, { request: requestOf(restored), response, onlyIf: sql`true` });
}

/** Throws KeyReused, with the first answer, if a call with the same key has restored the resource. */
export async function refuseRepeat(ctx: Context, restored: Restored): Promise<void> {
  const { idempotencyKey: key, requestHash: hash } = ctx;
  const effect = key === null ? null : await findEffect(ctx, key);
  if (key !== null && effect)
    throw new KeyReused({ key, request: requestOf(restored), hash }, redactedFor(ctx, effect));
}
