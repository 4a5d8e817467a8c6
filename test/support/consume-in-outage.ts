import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { consume } from "../../src/queue";

interface Outage {
  queue: string;
  body: unknown;
  /** Tries after the first: `max_retries` of wrangler.toml. */
  retries: number;
  /** So long no database answers. */
  awaySeconds: number;
}

/** Gives a message to its consumer as a queue does, and says whether it was acknowledged in the end. */
export async function consumeInOutage({ queue, body, retries, awaySeconds }: Outage): Promise<boolean> {
  const withoutDatabases = environmentWithoutDatabases();
  let [seconds, isAcknowledged] = [0, false];
  for (let attempts = 1; attempts <= 1 + retries && !isAcknowledged; attempts++) {
    const message = {
      ...{ id: "m", timestamp: new Date(), body, attempts },
      ack: () => {
        isAcknowledged = true;
      },
      retry: ({ delaySeconds = 0 }: QueueRetryOptions = {}) => {
        seconds += delaySeconds;
      },
    };
    // What the consumer asks of a batch.
    const batch = { queue, messages: [message] } as unknown as MessageBatch;
    await consume(batch, seconds < awaySeconds ? withoutDatabases : env, createExecutionContext());
  }
  return isAcknowledged;
}

function environmentWithoutDatabases(): typeof env {
  const away = () => {
    throw new Error("The database is away");
  };
  const bindings = Object.entries(env).map(([name, binding]) => [
    name,
    /^DB(_\d\d)?$/.test(name) ? { prepare: away, batch: away } : binding,
  ]);
  return Object.fromEntries(bindings);
}
