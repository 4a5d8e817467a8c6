import { Refusal, Unavailable } from "../../core/errors";
import type { Context } from "../../platform/context";
import { reasonOf } from "../../platform/log";

const retryAfterSeconds = 30;

/**
 * Asks the mail provider about a domain. Throws Unavailable when the provider does not answer, because neither the
 * caller nor this installation is at fault.
 */
export async function askProvider<T>(ctx: Context, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    ctx.log("warn", "The mail provider gave no answer about a domain", { reason: reasonOf(error) });
    throw new Unavailable("The mail provider could not be asked about this domain.", {
      retryAfterSeconds,
      suggestion: "Nothing was changed. Try again in a minute.",
      cause: error,
    });
  }
}
