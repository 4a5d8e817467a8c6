import { secondMs } from "../../core/time";
import { type Batch, openBatch, type Rows } from "../../db/batch";
import type { Statement } from "../../db/statement";
import type { Context } from "../../platform/context";
import type { OutboundCalls } from "./drain";
import { type CallRows, claimDue, moveToBack, updateDue, updateUnclaimed } from "./rows";

/** A kind of calls: its rows, its request, and what it writes after an attempt. The turn does the rest. */
export interface CallKind<Target, Key, Call extends Key, Made> extends Omit<OutboundCalls, "takeTurn"> {
  rows: CallRows<Key>;
  /**
   * Adds a statement for the receiver's row to the batch that claims calls. If the statement returns no row, no turn is
   * taken.
   */
  begin(ctx: Context, batch: Batch, receiver: string): Rows<Target>;
  /** Returns the claimed calls that should be made, in order. */
  read(ctx: Context, target: Target, keys: Key[]): Promise<Call[]>;
  /** Makes a call. Returns null if it is no longer wanted. */
  make(ctx: Context, target: Target, call: Call): Promise<Made | null>;
  /** Whether the receiver's remaining calls have to wait after this one. */
  endsTurn(made: Made): boolean;
  /** Adds the statements that record an attempt. Returns a function to call after the commit, if more work follows. */
  record(ctx: Context, batch: Batch, target: Target, call: Call, made: Made): (() => Promise<void>) | undefined;
  /**
   * Whether each attempt is recorded before the next one. If so, at most one call is repeated when a consumer dies, and
   * no outcome waits for the end of the turn. If not, one batch records the whole turn.
   */
  isEachRecorded: boolean;
}

/** A turn ends after this many calls or this much time, so that other receivers get a turn. */
const callsPerTurn = 20;
const turnMs = 2 * secondMs;

export function outboundCalls<Target, Key, Call extends Key, Made>(
  kind: CallKind<Target, Key, Call, Made>,
): OutboundCalls {
  return { ...kind, takeTurn: (ctx, receiver, isRunOver) => takeTurn(ctx, kind, receiver, isRunOver) };
}

/**
 * Takes one turn of a receiver: makes its next calls, one after the other, and records them. The turn ends with the
 * first call that postpones the others, or when its time is over. A receiver with more due calls then waits behind the
 * other receivers. If the consumer dies, the claimed calls are due again after the lease, and are made with the same
 * ids.
 */
async function takeTurn<Target, Key, Call extends Key, Made>(
  ctx: Context,
  kind: CallKind<Target, Key, Call, Made>,
  receiver: string,
  isRunOver: () => boolean,
): Promise<void> {
  const until = ctx.realClock().getTime() + turnMs;
  const isOver = () => isRunOver() || ctx.realClock().getTime() >= until;
  const claiming = openBatch(ctx);
  const found = kind.begin(ctx, claiming, receiver);
  const claimed = claiming.add(claimDue(ctx, kind.rows, receiver, callsPerTurn));
  claiming.add(updateDue(ctx, kind.rows, [receiver]));
  await claiming.commit();
  const target = found.first;
  if (target === undefined || claimed.count === 0) return;
  const left = await kind.read(ctx, target, claimed.all);
  const turn = { ctx, kind, target, receiver };
  const attempts: [Call, Made][] = [];
  try {
    for (let call = left.shift(); call !== undefined; call = left.shift()) {
      const made = await kind.make(ctx, target, call);
      if (made !== null) attempts.push([call, made]);
      if ((made !== null && kind.endsTurn(made)) || isOver()) break;
      if (kind.isEachRecorded && attempts.length > 0 && left.length > 0) await record(turn, attempts.splice(0), []);
    }
  } finally {
    const unclaimed = left.length > 0 ? [updateUnclaimed(ctx, kind.rows, left)] : [];
    await record(turn, attempts, [...unclaimed, moveToBack(ctx, kind.rows, receiver)]);
  }
}

interface Turn<Target, Key, Call extends Key, Made> {
  ctx: Context;
  kind: CallKind<Target, Key, Call, Made>;
  target: Target;
  receiver: string;
}

async function record<Target, Key, Call extends Key, Made>(
  { ctx, kind, target, receiver }: Turn<Target, Key, Call, Made>,
  attempts: [Call, Made][],
  afterwards: Statement[],
): Promise<void> {
  const batch = openBatch(ctx);
  const reports = attempts.map(([call, made]) => kind.record(ctx, batch, target, call, made));
  batch.addAll([...afterwards, updateDue(ctx, kind.rows, [receiver])]);
  await batch.commit();
  for (const report of reports) await report?.();
}
