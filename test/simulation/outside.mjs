/**
 * The world outside, at `fetch`: a mail provider with Resend's API, which recognises a key for a day, and a resolver that
 * knows what was published.
 */
export class Outside {
  #taken = new Map();
  #records = new Map();
  /** The mails that the provider took, in order. */
  mails = [];

  constructor({ trip, faults, planted }) {
    this.trip = trip;
    this.faults = faults;
    this.isForgetful = planted === "forgetful provider";
  }

  publish(records) {
    for (const { type, name, value } of records) this.#records.set(`${type} ${name}`, JSON.stringify(value));
  }

  async fetch(input, init) {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = await request.text();
    await this.trip();
    const answer = this.#answer(request, url, body);
    await this.trip();
    if (url.pathname.startsWith("/emails") && this.faults.losesAnswer())
      throw new TypeError("Network connection lost.");
    return answer;
  }

  #answer(request, url, body) {
    if (url.host === "api.resend.com") return this.#provider(request, url, body);
    if (url.pathname === "/dns-query" || url.pathname === "/resolve") return this.#resolve(url);
    return Response.json({}, { status: 404 });
  }

  #provider({ method, headers }, { pathname }, body) {
    if (pathname === "/domains" && method === "GET") return Response.json({ data: [], has_more: false });
    if (pathname.startsWith("/domains")) return Response.json({ id: "d", status: "verified", records: [] });
    const key = headers.get("Idempotency-Key");
    const known = this.isForgetful ? undefined : this.#taken.get(key);
    if (known) return Response.json(known);
    const mails = [JSON.parse(body)].flat();
    const ids = mails.map((mail) => {
      this.mails.push(mail);
      return { id: `m-${this.mails.length}` };
    });
    const answer = pathname.endsWith("/batch") ? { data: ids } : ids[0];
    this.#taken.set(key, answer);
    return Response.json(answer);
  }

  #resolve(url) {
    const [name, type] = [url.searchParams.get("name"), url.searchParams.get("type")];
    const data = this.#records.get(`${type} ${name}`);
    const types = { A: 1, NS: 2, CNAME: 5, SOA: 6, MX: 15, TXT: 16, AAAA: 28 };
    return Response.json({ Status: 0, Answer: data === undefined ? [] : [{ name, type: types[type], TTL: 60, data }] });
  }
}
