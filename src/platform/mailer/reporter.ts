import { isJsonObject } from "../../core/json";
import type { Notice } from "../../core/mail/notices/notice";
import type { ReceivedMail } from "../../core/mail/notices/received";

/** A call to `POST /hooks/{provider}` that has not been verified yet. */
export interface ReportCall {
  header(name: string): string | undefined;
  body: string;
}

export type ProviderReport =
  | { kind: "report"; notice: Notice }
  | { kind: "received"; mail: ReceivedMail }
  /** An event that has no meaning here. `name` is the provider's name for it. */
  | { kind: "other"; name: string };

/**
 * Reads a provider's call. Throws Untrusted unless the provider made it. Returns null when the call was only about the
 * subscription to reports.
 */
export type Reporter = (call: ReportCall) => Promise<ProviderReport | null>;

interface Readers {
  report(event: unknown): Notice | null;
  received(event: unknown): ReceivedMail | null;
}

/** Reads the body of a verified call. */
export function readReport(body: string, { report, received }: Readers): ProviderReport {
  const event = jsonOrNull(body);
  const notice = report(event);
  if (notice) return { kind: "report", notice };
  const mail = received(event);
  return mail ? { kind: "received", mail } : { kind: "other", name: nameOf(event) };
}

const maxNameLength = 50;

/** Returns the name of an event. Providers put it into different fields. */
function nameOf(event: unknown): string {
  if (!isJsonObject(event)) return "no event";
  const name = event.eventType ?? event.notificationType ?? event.type ?? event.RecordType;
  return typeof name === "string" ? name.slice(0, maxNameLength) : "no name";
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
