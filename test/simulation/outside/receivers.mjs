import { Webhook } from "standardwebhooks";

const secondMs = 1_000;
/** A call that was signed before a secret changed may arrive afterwards. */
const onTheWayMs = 90 * secondMs;

/** The servers of tenants, which are called with events and by workflows. They may fail, hang, or lose their answer. */
export class Receivers {
  #secrets = new Map();
  /** Events that came with a valid signature and were answered 2xx: `{ host, id, type, body, at, projectTime }`. */
  heard = [];
  /** Calls whose signature was not valid. */
  forged = [];
  /** All that was sent to a host, as text. */
  bodies = [];
  /** Calls of workflows: `{ host, key, at, status }`. */
  calls = [];

  /** `timeAt` tells the time of the project that a host belongs to. */
  constructor({ time, trip, faults, timeAt }) {
    Object.assign(this, { time, trip, faults, timeAt });
  }

  expect(host, secret) {
    this.#secrets.set(host, { known: [new Webhook(secret)], isChanging: false, changedAt: Number.NEGATIVE_INFINITY });
  }

  /** From now on, any secret that a tenant ever knew may be in use. */
  trustAll() {
    for (const secrets of this.#secrets.values()) secrets.areAllTrusted = true;
  }

  /** From now on, calls may be signed with a secret that the tenant does not know yet. */
  beginRotation(host) {
    this.#secrets.get(host).isChanging = true;
  }

  /** The tenant knows the new secret; null when it got no answer. */
  endRotation(host, secret) {
    const secrets = this.#secrets.get(host);
    if (secret === null) return;
    secrets.known.unshift(new Webhook(secret));
    Object.assign(secrets, { isChanging: false, changedAt: this.time.now });
  }

  async answer({ headers }, { host, pathname }, body) {
    if (!host.startsWith("hooks.")) return Response.json({}, { status: 404 });
    this.bodies.push({ host, body, at: this.time.now });
    if (this.faults.happens("receiverHangs")) await this.time.wait(60 * secondMs);
    const status = this.faults.happens("receiverFails") ? 500 : 200;
    if (pathname === "/steps")
      this.calls.push({ host, key: headers.get("idempotency-key"), at: this.time.now, status });
    if (status === 500) return Response.json({}, { status });
    if (pathname === "/events" && !this.#hear(host, headers, body)) return Response.json({}, { status: 401 });
    if (this.faults.happens("receiverLosesAnswer")) throw new TypeError("Network connection lost.");
    // Some servers answer with what they were sent.
    return Response.json({ isFine: true, heard: body });
  }

  /** Hears an event whose signature is valid. While a secret changes, it may be one that nobody knows here. */
  #hear(host, headers, body) {
    const given = Object.fromEntries(headers);
    const { known, isChanging, changedAt, areAllTrusted = false } = this.#secrets.get(host);
    const isSettled = !areAllTrusted && !isChanging && this.time.now > changedAt + onTheWayMs;
    const isValid = (isSettled ? known.slice(0, 1) : known).some((webhook) => verifies(webhook, body, given));
    const times = { at: this.time.now, projectTime: this.timeAt(host) };
    if (isValid) this.heard.push({ host, id: given["webhook-id"], ...times, ...JSON.parse(body) });
    else if (!isChanging) this.forged.push(`${host} was called with a signature that is not valid`);
    return isValid;
  }
}

function verifies(webhook, body, headers) {
  try {
    webhook.verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
