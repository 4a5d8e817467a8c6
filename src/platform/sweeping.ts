import type { Config, Env } from "./env";
import { type Log, reasonOf } from "./log";
import { objectsAt } from "./objects";

/** The part of `SweepObject` that a tick calls. */
interface Sweeping extends Rpc.DurableObjectBranded {
  keepGoing(): Promise<void>;
}

/** Starts the sweeps that run between two ticks. The tick does the same work, so a failure is only logged. */
export async function keepSweeping(
  { SWEEPS }: Pick<Env, "SWEEPS">,
  { config, log }: { config: Pick<Config, "dataLocation">; log: Log },
): Promise<void> {
  // The type of the binding does not name the class, because a platform file cannot import a front door.
  const namespace = SWEEPS as unknown as DurableObjectNamespace<Sweeping & Rpc.DurableObjectBranded>;
  try {
    const objects = objectsAt(config.dataLocation, namespace);
    await objects.get(objects.idFromName("sweeps")).keepGoing();
  } catch (error) {
    log("error", "The five-second sweeps could not be started", { reason: reasonOf(error) });
  }
}
