import { Webhook } from "standardwebhooks";

const secondMs = 1_000;

/** The servers of tenants, which are called with events and by workflows. They may fail, hang, or lose their answer. */
export class Receivers {
  #secrets = new Map();
  /** Events that came with a valid signature and were answered 2xx: `{ host, id, type, body, at }`. */
  heard = [];
  /** Calls whose signature was not valid. */
  forged = [];
  /** All that was sent to a host, as text. */
  bodies = [];
  /** Calls of workflows: `{ host, key, at, status }`. */
  calls = [];

  constructor({ time, trip, faults }) {
    Object.assign(this, { time, trip, faults });
  }

  expect(host, secret) {
    this.#secrets.set(host, new Webhook(secret));
  }

  async answer({ headers }, { host, pathname }, body) {
    if (!host.startsWith("hooks.")) return Response.json({}, { status: 404 });
    this.bodies.push({ host, body, at: this.time.now });
    if (this.faults.happens("receiverHangs")) await this.time.wait(60 * secondMs);
    const status = this.faults.happens("receiverFails") ? 500 : 200;
    if (pathname === "/steps")
      this.calls.push({ host, key: headers.get("idempotency-key"), at: this.time.now, status });
    if (status === 500) return Response.json({}, { status });
    if (pathname === "/events") this.#hear(host, headers, body);
    if (this.faults.happens("receiverLosesAnswer")) throw new TypeError("Network connection lost.");
    return Response.json({ isFine: true });
  }

  #hear(host, headers, body) {
    const given = Object.fromEntries(headers);
    try {
      this.#secrets.get(host).verify(body, given);
      this.heard.push({ host, id: given["webhook-id"], at: this.time.now, ...JSON.parse(body) });
    } catch (error) {
      this.forged.push(`${host} was called with a signature that is not valid: ${error.message}`);
    }
  }
}
