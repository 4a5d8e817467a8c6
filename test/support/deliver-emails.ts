import type { Id } from "../../src/core/ids";
import type { Priority } from "../../src/core/mail/priority";
import { deliverFresh } from "../../src/engine/mail/deliver/deliver-fresh";
import type { Context } from "../../src/platform/context";

/** Hands fresh emails of one project to the provider, as their message does. */
export async function deliverEmails(ctx: Context, priority: Priority, emailIds: Id[]): Promise<void> {
  const [error] = await deliverFresh([{ ctx, priority, emailIds, isAgain: false }]);
  if (error !== null) throw error;
}
