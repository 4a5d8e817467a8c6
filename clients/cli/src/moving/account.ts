import { normalizeEmail } from "../../../../src/core/mail/address";
import { timeOf } from "./time";

export const suppressionReasons = ["bounce", "complaint", "unsubscribe", "manual"] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/**
 * A person's consent to marketing mail, the least strict state first. `out`: never subscribed, not confirmed yet, or
 * paused by the other service. No opt-out of the person is known, but no marketing mail is sent either.
 */
export const states = ["subscribed", "out", "left"] as const;
export type State = (typeof states)[number];

export interface Person {
  email: string;
  state: State;
  createdAt?: string | undefined;
  confirmedAt?: string | undefined;
  optedOutAt?: string | undefined;
  /** The names of all topics that the person is in. If absent, the default of each topic applies. */
  topics?: string[];
  data: Record<string, unknown>;
}

export interface Suppressed {
  email: string;
  reason: SuppressionReason;
  createdAt?: string;
}

export interface OldTopic {
  name: string;
  description?: string | undefined;
  defaultSubscribed: boolean;
}

export interface OldTemplate {
  name: string;
  subject: string;
  body: string;
  /** An address, or a name with an address in brackets. */
  from?: string | undefined;
  /** Set if the service knows it. */
  type?: "MARKETING" | "TRANSACTIONAL" | "HEADLESS" | undefined;
  /** The text that the other service inserts when a variable has no value, by the variable's name. */
  fallbacks?: Record<string, string>;
}

/** A whole account of another service, in our terms, from whatever source it was read. */
export class Account {
  readonly people = new Map<string, Person>();
  readonly suppressed = new Map<string, Suppressed>();
  readonly topics = new Map<string, OldTopic>();
  readonly templates: OldTemplate[] = [];
  /** The number of skipped entries, by reason. */
  readonly leftOut = new Map<string, number>();
  /** Remarks for the owner of the account. */
  readonly notes: string[] = [];

  /** Adds a person. If the person occurs twice, the data is merged, and the stricter state counts. */
  addPerson({ email, data, ...rest }: Person): void {
    const address = this.#read(email);
    if (address === null) return;
    const said = Object.entries(data).filter(([, value]) => value !== undefined && value !== null && value !== "");
    const person = { ...rest, email: address, data: Object.fromEntries(said) };
    const before = this.people.get(address);
    this.people.set(address, before ? mergedPerson(before, person) : person);
  }

  /** Adds an address that gets no mail. The first reason counts. */
  suppress(email: string, reason: SuppressionReason, at?: string | number | null): void {
    const address = this.#read(email);
    if (address === null || this.suppressed.has(address)) return;
    const createdAt = timeOf(at);
    this.suppressed.set(address, { email: address, reason, ...(createdAt && { createdAt }) });
  }

  has(email: string): boolean {
    return this.people.has(normalizeEmail(email) ?? "");
  }

  /** Returns the address as the service stores it. */
  #read(email: string): string | null {
    const address = normalizeEmail(email);
    if (address === null) this.leaveOut("no email address");
    return address;
  }

  addTopic(topic: OldTopic): void {
    this.topics.set(topic.name, topic);
  }

  leaveOut(reason: string): void {
    this.leftOut.set(reason, (this.leftOut.get(reason) ?? 0) + 1);
  }
}

function mergedPerson(one: Person, other: Person): Person {
  const { state, optedOutAt } = states.indexOf(one.state) > states.indexOf(other.state) ? one : other;
  const topics = one.topics && other.topics ? [...new Set([...one.topics, ...other.topics])] : undefined;
  return {
    email: one.email,
    state,
    optedOutAt,
    createdAt: one.createdAt ?? other.createdAt,
    confirmedAt: one.confirmedAt ?? other.confirmedAt,
    ...(topics && { topics }),
    data: { ...one.data, ...other.data },
  };
}
