import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { callOutbound, type OutboundCall } from "../../src/platform/outbound";
import { Outside, rejectOn } from "../support/outside";
import { World } from "../support/world";

let outside: Outside;
beforeEach(() => {
  outside = new Outside();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Every test has a name of its own, as verdicts are kept for a minute. */
function newHost(world: World, ...addresses: string[]): string {
  const host = `h${crypto.randomUUID()}.com`;
  const of = (isV6: boolean) => addresses.filter((address) => address.includes(":") === isV6);
  world.dnsRecords[`A ${host}`] = of(false);
  world.dnsRecords[`AAAA ${host}`] = of(true);
  return host;
}

function callOn(world: World, url: string, more: Partial<OutboundCall> = {}) {
  const call = { url, method: "POST", headers: { "webhook-signature": "v1,x" }, body: "{}", ...more };
  return callOutbound(world.process().platform, call);
}

describe("a call to a tenant's URL", () => {
  it("goes to a name of the public internet, and returns the status and the answer", async () => {
    const world = new World();
    const host = newHost(world, "1.1.1.1", "2606:4700:4700::1111");
    outside.play(host, () => new Response("thanks", { status: 201, headers: { "Retry-After": "7" } }));
    expect(await callOn(world, `https://${host}/x?y=z`)).toEqual({
      kind: "answered",
      status: 201,
      body: "thanks",
      retryAfterMs: 7_000,
    });
    expect(outside.calls.map(({ method, url, json }) => [method, url.href, json])).toEqual([
      ["POST", `https://${host}/x?y=z`, {}],
    ]);
  });

  it.each([
    [["127.0.0.1"]],
    [["1.1.1.1", "10.0.0.1"]],
    [["::1"]],
    [["1.1.1.1", "fd00::1"]],
    [["::ffff:1.1.1.1"]],
    [["64:ff9b::808:808"]],
    [["not an address"]],
  ])("is refused when the name's addresses are %j", async (addresses) => {
    const world = new World();
    expect(await callOn(world, `https://${newHost(world, ...addresses)}/`)).toMatchObject({ kind: "refused" });
    expect(outside.calls).toEqual([]);
  });

  it("fails when the name has no address, and asks again the next time", async () => {
    const world = new World();
    const host = newHost(world);
    outside.play(host, () => new Response("ok"));
    expect(await callOn(world, `https://${host}/`)).toMatchObject({ kind: "failed" });
    world.dnsRecords[`A ${host}`] = ["1.1.1.1"];
    expect(await callOn(world, `https://${host}/`)).toMatchObject({ kind: "answered" });
  });

  it("is put off while no resolver answers", async () => {
    const world = new World();
    const host = newHost(world, "1.1.1.1");
    world.outage = "dns";
    expect(await callOn(world, `https://${host}/`)).toMatchObject({ kind: "unresolved" });
    expect(outside.calls).toEqual([]);
  });

  it("keeps what it resolved for 60 seconds", async () => {
    const world = new World();
    const host = newHost(world, "1.1.1.1");
    outside.play(host, () => new Response("ok"));
    await callOn(world, `https://${host}/`);
    world.dnsRecords[`A ${host}`] = ["127.0.0.1"];
    world.now += 59_000;
    expect(await callOn(world, `https://${host}/`)).toMatchObject({ kind: "answered" });
    world.now += 2_000;
    expect(await callOn(world, `https://${host}/`)).toMatchObject({ kind: "refused" });
  });

  it("does not go to our own hosts", async () => {
    const world = new World();
    world.settings = { PUBLIC_URL: "https://mail.acme.com/" };
    expect(await callOn(world, "https://mail.acme.com/hooks/ses")).toMatchObject({ kind: "refused" });
    expect(outside.calls).toEqual([]);
  });

  it("goes to this machine only where the developer's list says so", async () => {
    const world = new World();
    outside.play("localhost:3000", () => new Response("ok"));
    expect(await callOn(world, "http://localhost:3000/")).toMatchObject({ kind: "refused" });
    world.settings = { OUTBOUND_ALLOW_LOOPBACK: "localhost:3000, 10.0.0.1:80" };
    expect(await callOn(world, "http://localhost:3000/")).toMatchObject({ kind: "answered" });
    expect(await callOn(world, "http://localhost:3001/")).toMatchObject({ kind: "refused" });
    expect(await callOn(world, "http://10.0.0.1/")).toMatchObject({ kind: "refused" });
    world.settings = { ...world.settings, ENVIRONMENT: "production" };
    expect(await callOn(world, "http://localhost:3000/")).toMatchObject({ kind: "refused" });
  });

  it("sends no header that frames the request, and no line break", async () => {
    const world = new World();
    const host = newHost(world, "1.1.1.1");
    const faulty: Record<string, string>[] = [{ Host: "evil.com" }, { "CF-Ray": "1" }, { "X-A": "b\r\nHost: c" }];
    for (const headers of faulty) {
      expect(await callOn(world, `https://${host}/`, { headers })).toMatchObject({ kind: "refused" });
    }
    expect(outside.calls).toEqual([]);
  });

  it("says why a call failed", async () => {
    const world = new World();
    const host = newHost(world, "1.1.1.1");
    expect(await callOn(world, `https://${host}/`)).toMatchObject({
      kind: "failed",
      reason: expect.stringMatching(/^The call failed: /),
    });
  });
});

describe("a redirect", () => {
  const to = (location: string) => () => new Response(null, { status: 307, headers: { Location: location } });

  it("is followed three times, each hop judged anew", async () => {
    const world = new World();
    const host = newHost(world, "1.1.1.1");
    outside.play(host, ({ url }) => to(`/${Number(url.pathname.slice(1)) + 1}`)());
    expect(await callOn(world, `https://${host}/1`)).toEqual({
      kind: "failed",
      reason: "It redirects more than 3 times.",
    });
    expect(outside.calls.map(({ url }) => url.pathname)).toEqual(["/1", "/2", "/3", "/4"]);
  });

  it.each(["http://127.0.0.1/", "https://0x7f.1/", "https://localhost/", "https://a:b@1.1.1.1/", "file:///etc/passwd"])(
    "does not lead to %s",
    async (location) => {
      const world = new World();
      const host = newHost(world, "1.1.1.1");
      outside.play(host, to(location));
      expect(await callOn(world, `https://${host}/`)).toMatchObject({ kind: "refused" });
      expect(outside.calls).toHaveLength(1);
    },
  );

  it("does not lead to a name with a private address", async () => {
    const world = new World();
    const [host, inner] = [newHost(world, "1.1.1.1"), newHost(world, "10.0.0.1")];
    outside.play(host, to(`https://${inner}/`));
    expect(await callOn(world, `https://${host}/`)).toMatchObject({ kind: "refused" });
    expect(outside.callsTo(inner)).toEqual([]);
  });

  it("carries no signature to another origin", async () => {
    const world = new World();
    const [host, other] = [newHost(world, "1.1.1.1"), newHost(world, "1.0.0.1")];
    outside.play(host, to(`https://${other}/`));
    outside.play(other, () => new Response("ok"));
    await callOn(world, `https://${host}/`);
    expect(outside.callsTo(host)[0]?.headers.get("webhook-signature")).toBe("v1,x");
    expect(outside.callsTo(other)[0]?.headers.get("webhook-signature")).toBeNull();
  });
});

describe("an answer", () => {
  it("is read up to 10 KB, and the rest is cancelled", async () => {
    const world = new World();
    const host = newHost(world, "1.1.1.1");
    let [pulled, isCancelled] = [0, false];
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled++;
        controller.enqueue(new TextEncoder().encode("x".repeat(4_096)));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    outside.play(host, () => new Response(endless));
    const result = await callOn(world, `https://${host}/`);
    expect(result.kind === "answered" && result.body).toBe("x".repeat(10_240));
    expect(isCancelled).toBe(true);
    expect(pulled).toBeLessThan(6);
  });

  it("counts by its status when its body breaks off", async () => {
    const world = new World();
    const host = newHost(world, "1.1.1.1");
    let sent = 0;
    const broken = new ReadableStream({
      pull: (controller) => {
        if (sent++ > 0) controller.error(new Error("Connection lost"));
        else controller.enqueue(new TextEncoder().encode("begun"));
      },
    });
    outside.play(host, () => new Response(broken, { status: 202 }));
    expect(await callOn(world, `https://${host}/`)).toMatchObject({ kind: "answered", status: 202, body: "begun" });
  });

  it("that does not come within the patience is a time-out", async () => {
    const world = new World();
    const host = newHost(world, "1.1.1.1");
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      expect(ms).toBe(10_000);
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      return controller.signal;
    });
    outside.play(host, ({ signal }) => new Promise((_, reject) => rejectOn(signal, reject)));
    expect(await callOn(world, `https://${host}/`)).toEqual({
      kind: "timed out",
      reason: "No answer came within 10 seconds.",
    });
    vi.restoreAllMocks();
  });
});
