import { Provider } from "./provider.mjs";
import { Receivers } from "./receivers.mjs";

/** The world outside, at `fetch`: a mail provider, a resolver that knows what was published, and the tenants' servers. */
export class Outside {
  #records = new Map();
  /** How often it was called. */
  calls = 0;

  constructor({ time, trip, faults, boundary, random, planted, report, timeAt }) {
    Object.assign(this, { time, trip, faults, boundary });
    this.provider = new Provider({ time, trip, faults, random, planted, report });
    this.receivers = new Receivers({ time, trip, faults, timeAt });
  }

  publish(records) {
    for (const { type, name, value } of records) this.#records.set(`${type} ${name}`, JSON.stringify(value));
  }

  fetch(input, init) {
    return this.boundary(() =>
      untilAborted(init?.signal, this.#fetch(new Request(input, { ...init, signal: null }), init?.signal)),
    );
  }

  async #fetch(request, signal) {
    this.calls += 1;
    const url = new URL(request.url);
    const body = await request.text();
    await this.trip();
    const answer = await this.#answer(request, url, body, signal);
    await this.trip();
    return answer;
  }

  #answer(request, url, body, signal) {
    if (url.host === "api.resend.com") return this.provider.answer(request, url, body, signal);
    if (url.pathname === "/dns-query" || url.pathname === "/resolve") return this.#resolve(url);
    return this.receivers.answer(request, url, body);
  }

  #resolve(url) {
    if (this.faults.happens("resolverIsAway")) throw new TypeError("Network connection lost.");
    const [name, type] = [url.searchParams.get("name"), url.searchParams.get("type")];
    const isReceiver = type === "A" && name.startsWith("hooks.");
    const data = isReceiver ? "93.184.216.34" : this.#records.get(`${type} ${name}`);
    const types = { A: 1, NS: 2, CNAME: 5, SOA: 6, MX: 15, TXT: 16, AAAA: 28 };
    return Response.json({ Status: 0, Answer: data === undefined ? [] : [{ name, type: types[type], TTL: 60, data }] });
  }
}

function untilAborted(signal, answer) {
  if (!signal) return answer;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    answer.then(resolve, reject);
  });
}
