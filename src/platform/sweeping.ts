import type { Env } from "./env";
import { type Log, reasonOf } from "./log";

/** The part of `SweepObject` that a tick calls. */
interface Sweeping extends Rpc.DurableObjectBranded {
  keepGoing(): Promise<void>;
}

/** Sees to it that the sweeps between two ticks go on. The tick does their work as well, so a failure is only logged. */
export async function keepSweeping({ SWEEPS }: Pick<Env, "SWEEPS">, log: Log): Promise<void> {
  // The binding's type does not name the class, because a platform file cannot import a front door.
  const objects = SWEEPS as unknown as DurableObjectNamespace<Sweeping & Rpc.DurableObjectBranded>;
  try {
    await objects.get(objects.idFromName("sweeps")).keepGoing();
  } catch (error) {
    log("error", "The sweeps of every five seconds could not be started", { reason: reasonOf(error) });
  }
}
