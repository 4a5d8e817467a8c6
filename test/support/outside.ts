import { vi } from "vitest";

/** A request that left the Worker. */
export interface Call {
  method: string;
  url: URL;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent, and fail where it is not there
  json: any;
}

type Answer = (call: Call) => Response | Promise<Response>;

/** The world beyond `fetch`, host by host. A host that nobody plays is not there. */
export class Outside {
  calls: Call[] = [];
  private hosts = new Map<string, Answer>();

  constructor() {
    // A fresh Response each time: one made outside cannot be read in another request.
    vi.stubGlobal("fetch", (input: RequestInfo | URL, init?: RequestInit) => this.answer(new Request(input, init)));
  }

  play(host: string, answer: Answer): void {
    this.hosts.set(host, answer);
  }

  callsTo(host: string): Call[] {
    return this.calls.filter(({ url }) => url.host === host);
  }

  private async answer(request: Request): Promise<Response> {
    const body = new Uint8Array(await request.arrayBuffer());
    const url = new URL(request.url);
    const { method, headers, signal } = request;
    const call = { method, url, headers, body, signal, json: jsonOrNull(new TextDecoder().decode(body)) };
    this.calls.push(call);
    const answer = this.hosts.get(url.host);
    if (!answer) throw new TypeError(`Nobody plays ${url.host}`);
    return answer(call);
  }
}

/** What a call that gets no answer comes to, once its patience ends. */
export function rejectOn(signal: AbortSignal, reject: (reason: unknown) => void): void {
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener("abort", () => reject(signal.reason));
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
