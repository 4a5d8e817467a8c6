import { Webhook } from "standardwebhooks";

/** The secret with which the provider signs its reports. */
export const reportSecret = "whsec_c2ltdWxhdGVkLXNlY3JldC1vZi0zMi1ieXRlcy1sb25n";

const secondMs = 1_000;
const reportTries = 6;
/** What becomes of emails, by a draw. */
const fates = [
  [0.1, ["bounced"]],
  [0.15, ["delivered", "complained"]],
  [0.5, ["delivered"]],
  [1, ["delivered", "opened"]],
];

/**
 * A mail provider with Resend's API, which recognises a key for a day. It may be slow, hang, refuse, throttle, lose
 * its answer, or fail after it took the mail; and it reports what became of each email late, twice, and in any order.
 */
export class Provider {
  #taken = new Map();
  /** The emails that were taken: `{ tag, at, mail, isAgain }`. */
  mails = [];
  /**
   * Each time an email arrived, in a call of `size` emails that is over at some time: `{ tag, email, at, outcome, size,
   * call }`.
   */
  arrivals = [];
  /** The reports that were answered 2xx: `{ tag, kind, mail, takenAt, at }`. */
  told = [];

  constructor({ time, trip, faults, random, planted, report }) {
    Object.assign(this, { time, trip, faults, random, report });
    this.isForgetful = planted === "forgetful provider";
  }

  /** `signal` tells when the caller has stopped waiting. */
  async answer({ method, headers }, { pathname }, body, signal) {
    if (pathname === "/domains" && method === "GET") return Response.json({ data: [], has_more: false });
    if (pathname.startsWith("/domains")) return Response.json({ id: "d", status: "verified", records: [] });
    const mails = [JSON.parse(body)].flat();
    const outcome = this.#outcome();
    const [at, size] = [this.time.now, mails.length];
    const call = { overAt: Number.POSITIVE_INFINITY };
    for (const mail of mails)
      this.arrivals.push({ tag: tagOf(mail), email: [mail.to].flat()[0], at, outcome, size, call });
    const end = () => {
      call.overAt = Math.min(call.overAt, this.time.now);
    };
    signal?.addEventListener("abort", end);
    return this.#answerAs(outcome, { headers, pathname, mails }).finally(end);
  }

  async #answerAs(outcome, { headers, pathname, mails }) {
    if (outcome === "hangs") await new Promise(() => {});
    if (outcome === "slow") await this.time.wait(this.random() * 15 * secondMs);
    if (outcome === "fails") return Response.json({ name: "internal_server_error" }, { status: 500 });
    if (outcome === "throttles") {
      return Response.json({ name: "rate_limit_exceeded" }, { status: 429, headers: { "Retry-After": "1" } });
    }
    const answer = this.#take(headers.get("Idempotency-Key"), mails, pathname.endsWith("/batch"));
    if (outcome === "loses answer") throw new TypeError("Network connection lost.");
    return Response.json(answer);
  }

  #outcome() {
    const { faults } = this;
    if (faults.happens("providerHangs")) return "hangs";
    if (faults.happens("providerFails")) return "fails";
    if (faults.happens("providerThrottles")) return "throttles";
    if (faults.happens("providerLosesAnswer")) return "loses answer";
    return faults.happens("providerIsSlow") ? "slow" : "good";
  }

  #take(key, mails, isBatch) {
    const known = this.isForgetful ? undefined : this.#taken.get(key);
    if (known) return known;
    const ids = mails.map((mail) => {
      const id = `m-${this.mails.length + 1}`;
      this.mails.push({ id, tag: tagOf(mail), at: this.time.now, mail });
      this.#reportOf(id, mail);
      return { id };
    });
    const answer = isBatch ? { data: ids } : ids[0];
    this.#taken.set(key, answer);
    return answer;
  }

  /** Draws what becomes of an email, and reports it. */
  #reportOf(id, mail) {
    const takenAt = this.time.now;
    const draw = this.random();
    const kinds = this.faults.happens("providerFailsAfterwards")
      ? ["failed"]
      : (fates.find(([most]) => draw < most) ?? [])[1];
    for (const kind of kinds) {
      const times = this.faults.happens("reportComesTwice") ? 2 : 1;
      if (this.faults.happens("reportIsLost")) continue;
      for (let time = 0; time < times; time++) {
        const delay = this.random() * 20 * secondMs + 10 * this.faults.lateMs("reportIsLate");
        this.time.set(() => this.#tellFate(id, kind, { mail, takenAt }), delay);
      }
    }
  }

  #tellFate(id, kind, { mail, takenAt }) {
    const bounce =
      kind === "bounced" ? { bounce: { type: "Permanent", subType: "General", message: "No such user" } } : {};
    const data = { email_id: id, tags: mail.tags, ...bounce };
    const taken = () => this.told.push({ tag: tagOf(mail), kind, mail, takenAt, at: this.time.now });
    return this.#tell(`${id}-${kind}`, kind, data, taken, 1);
  }

  /**
   * Receives an email for a domain, and tells of it; some are told twice. `taken` hears that the notice was accepted.
   */
  receive(from, to, taken) {
    const id = `in-${to}`;
    const times = this.faults.happens("reportComesTwice") ? 2 : 1;
    for (let time = 0; time < times; time++) {
      const delay = this.random() * secondMs + this.faults.lateMs("reportIsLate");
      const data = { email_id: id, from, to: [to], received_for: [to] };
      this.time.set(() => this.#tell(`${id}-${time}`, "received", data, taken, 1), delay);
    }
  }

  async #tell(messageId, kind, data, taken, attempt) {
    const at = new Date(Math.floor(this.time.now));
    const body = JSON.stringify({ type: `email.${kind}`, created_at: at.toISOString(), data });
    const signature = new Webhook(reportSecret).sign(messageId, at, body);
    const timestamp = String(Math.floor(at.getTime() / secondMs));
    const { status } = await this.report(body, {
      "svix-id": messageId,
      "svix-timestamp": timestamp,
      "svix-signature": signature,
    });
    if (status >= 200 && status < 300) return void taken();
    if (attempt < reportTries) {
      this.time.set(() => this.#tell(messageId, kind, data, taken, attempt + 1), 5 * secondMs * 4 ** attempt);
    }
  }
}

function tagOf(mail) {
  return mail.tags[0].value;
}
