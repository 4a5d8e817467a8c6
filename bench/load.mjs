import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";

/**
 * Sends `total` requests over `connections` connections, each starting its next one when the last was answered.
 * `bodyOf(n)` makes the body of the n-th POST; without it they are GETs. `urlOf(n)` is for calls of several URLs. Returns the latencies in milliseconds, sorted,
 * and requests a second.
 */
export async function load({ url, urlOf = () => url, headers, connections, total, bodyOf }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies = [];
  let next = 0;
  async function worker() {
    while (next < total) {
      const n = next++;
      const body = bodyOf ? JSON.stringify(bodyOf(n)) : null;
      const startedAt = performance.now();
      await send({ url: urlOf(n), headers, body, agent });
      latencies.push(performance.now() - startedAt);
    }
  }
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  return { latencies, perSecond: total / seconds };
}

function send({ url, headers, body, agent }) {
  const ofBody = body && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const call = request(url, { method: body === null ? "GET" : "POST", agent, headers: { ...ofBody, ...headers } });
    call.on("error", reject);
    call.on("response", (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => {
        if (response.statusCode < 400) resolve(text);
        else reject(new Error(`${url} answered ${response.statusCode}: ${text.slice(0, 300)}`));
      });
    });
    call.end(body ?? undefined);
  });
}

export function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
