import type { DnsRecord, RecordPurpose } from "../../core/domains/records";
import { Unavailable } from "../../core/errors";
import { log, reasonOf } from "../log";
import { type Answer, isSuccess } from "./call";

/**
 * Calls a provider about a domain. The call must succeed or return one of the expected statuses. Any other outcome is
 * logged in full, but reported to the caller only briefly, because only the operator can fix it.
 */
export async function registered(
  provider: string,
  call: () => Promise<Answer>,
  expected: readonly number[] = [],
): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await call();
  } catch (cause) {
    throw outOfReach(provider, cause);
  }
  if (isSuccess(answer) || expected.includes(answer.status)) return answer;
  throw outOfReach(provider, new Error(`It answered ${answer.status}`));
}

export function outOfReach(provider: string, cause: unknown): Unavailable {
  log("error", "The mail provider could not be asked about a domain", { provider, reason: reasonOf(cause) });
  return new Unavailable(`The mail provider (${provider}) could not be asked about the domain.`, {
    retryAfterSeconds: retrySeconds,
    suggestion: "Try again. If the error persists, the operator can find the reason in the log.",
    cause,
  });
}

const retrySeconds = 10;

/** Returns a record, required or optional, that the provider asks for and that has not been checked yet. */
export function uncheckedRecord(
  purpose: RecordPurpose,
  type: DnsRecord["type"],
  name: string,
  value: string,
  more: { required: boolean; priority?: number | undefined },
): DnsRecord {
  const { required, priority } = more;
  return { purpose, type, name, value, ...(priority === undefined ? {} : { priority }), required, status: "PENDING" };
}
