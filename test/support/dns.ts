import { afterEach, beforeEach, vi } from "vitest";
import { rejectOn } from "./outside";

const resolvers = ["cloudflare-dns.com", "dns.google"] as const;
type Resolver = (typeof resolvers)[number];
type Trouble = "unreachable" | "server failure" | "500" | "not JSON" | "silent";

const typeNumbers: Record<string, number> = { A: 1, NS: 2, CNAME: 5, SOA: 6, MX: 15, TXT: 16, AAAA: 28 };

/** The DNS that the Worker sees: a double of both public resolvers, at the border where requests leave. */
export class DnsDouble {
  /** `"TXT _petrel.acme.com"` → what a resolver says, in its own notation. All other names do not exist. */
  records: Record<string, string[]> = {};
  ttlSeconds = 0;
  /** What was asked, in order: `"cloudflare-dns.com TXT acme.com"`. */
  asked: string[] = [];
  trouble: Partial<Record<Resolver, Trouble>> = {};
  /** Names whose own servers fail, whoever asks. */
  broken = new Set<string>();

  /** No resolver answers. */
  goDown(trouble: Trouble = "unreachable"): void {
    this.trouble = Object.fromEntries(resolvers.map((resolver) => [resolver, trouble]));
  }

  /** Publishes records as their owner would. */
  publish(records: { type: string; name: string; value: string; priority?: number }[]): void {
    for (const { type, name, value, priority } of records) {
      const written =
        type === "TXT" ? JSON.stringify(value) : `${priority === undefined ? "" : `${priority} `}${value}.`;
      this.records[`${type} ${name}`] = [...(this.records[`${type} ${name}`] ?? []), written];
    }
  }

  /** A domain that takes mail. */
  host(domain: string): void {
    this.records[`NS ${domain}`] = [`ns1.${domain}.`];
    this.records[`A ${domain}`] = ["192.0.2.1"];
    this.records[`MX ${domain}`] = [`10 mail.${domain}.`];
  }

  respond(url: URL, signal: AbortSignal | null | undefined): Promise<Response> | Response {
    const [name, type] = [url.searchParams.get("name") ?? "", url.searchParams.get("type") ?? ""];
    this.asked.push(`${url.host} ${type} ${name}`);
    switch (this.trouble[url.host as Resolver]) {
      case "unreachable":
        throw new TypeError("Network connection lost");
      case "500":
        return new Response("Internal error", { status: 500 });
      case "not JSON":
        return new Response("<html>");
      case "server failure":
        return Response.json({ Status: 2 });
      case "silent":
        return new Promise((_, reject) => signal && rejectOn(signal, reject));
    }
    if (this.broken.has(name)) return Response.json({ Status: 2 });
    const data = this.records[`${type} ${name}`] ?? [];
    // A name exists also when only names below it have records.
    const isKnown = Object.keys(this.records).some((key) => key.endsWith(` ${name}`) || key.endsWith(`.${name}`));
    const Answer = data.map((value) => ({ name, type: typeNumbers[type], TTL: this.ttlSeconds, data: value }));
    return Response.json({ Status: isKnown ? 0 : 3, ...(data.length > 0 ? { Answer } : {}) });
  }
}

/** A fresh double for every test of the file. */
export function useDns(): { readonly dns: DnsDouble } {
  const state = { dns: new DnsDouble() };
  beforeEach(() => {
    state.dns = new DnsDouble();
    const real = globalThis.fetch;
    vi.stubGlobal("fetch", (input: RequestInfo | URL, init?: RequestInit) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const isResolver = resolvers.some((resolver) => resolver === url.host);
      // Inside an async function, so that a double that throws rejects as fetch does.
      return isResolver ? (async () => state.dns.respond(url, init?.signal))() : real(input, init);
    });
  });
  afterEach(() => vi.unstubAllGlobals());
  return state;
}
