import { once } from "node:events";
import { request as askFor, createServer } from "node:http";
import { brotliCompressSync, constants } from "node:zlib";
import { median } from "./load.mjs";
import { table } from "./report.mjs";

/** Bytes per second of 1.6 Mbit/s, and the latency of a byte. */
const line = { offline: false, downloadThroughput: 200_000, uploadThroughput: 100_000, latency: 40 };

/** Cloudflare compresses answers at level 4, unless a Worker has compressed them. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Starts a proxy in front of the Worker that compresses as Cloudflare does, and counts transferred bytes. */
export async function openDoor(base) {
  let bytes = 0;
  const server = createServer(async (request, answer) => {
    const { host: _, connection: __, ...headers } = request.headers;
    if (headers.origin !== undefined) headers.origin = base;
    // The local Worker compresses again when a caller prefers another encoding, and Cloudflare does not.
    if (headers["accept-encoding"]?.includes("br")) headers["accept-encoding"] = "br";
    const passing = askFor(base + request.url, { method: request.method, headers });
    request.pipe(passing);
    const [passed] = await once(passing, "response");
    const chunks = [];
    for await (const chunk of passed) chunks.push(chunk);
    const content = Buffer.concat(chunks);
    const isToCompress = content.length > 0 && !passed.headers["content-encoding"];
    const sent = isToCompress ? brotliCompressSync(content, quality) : content;
    bytes += sent.length;
    const { "transfer-encoding": ___, "content-length": ____, connection: _____, ...kept } = passed.headers;
    answer.writeHead(passed.statusCode, { ...kept, ...(isToCompress && { "content-encoding": "br" }) }).end(sent);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    base: `http://127.0.0.1:${server.address().port}`,
    takeBytes() {
      const counted = bytes;
      bytes = 0;
      return counted;
    },
    close: () => server.close(),
  };
}

/** Returns the moments of the first screen in a browser without a cache, by its own clock. */
export async function firstScreen({ door, browser, cookie, start }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([cookie]);
  const page = await context.newPage();
  await page.addInitScript(noteMoments);
  // A browser needs a tenth of a second to start a site's process, which is not part of the console's time.
  await page.goto(new URL("/robots.txt", start).href);
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  // Measures the time that the page's thread works, without the time it waits for a processor.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await session.send("Network.emulateNetworkConditions", line);
  door.takeBytes();
  await page.goto(start, { waitUntil: "commit" });
  await page.waitForFunction(() => "content" in window.moments);
  // Prefetched parts come later.
  const bytes = door.takeBytes();
  await page.waitForLoadState("networkidle");
  const [paint] = await page.evaluate(() =>
    performance.getEntriesByName("first-contentful-paint").map(({ startTime }) => startTime),
  );
  const moments = await page.evaluate(() => window.moments);
  const { metrics } = await session.send("Performance.getMetrics");
  const work = metrics.find(({ name }) => name === "TaskDuration").value * 1_000;
  if (process.env.BENCH_TRACE)
    console.log(
      await page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .map((e) =>
            [
              e.name.replace(/.*\d\//, ""),
              e.startTime | 0,
              e.responseStart | 0,
              e.responseEnd | 0,
              e.encodedBodySize,
            ].join(" "),
          )
          .join("\n"),
      ),
      paint,
      moments,
    );
  await context.close();
  return { paint, ...moments, work, bytes };
}

/** Notes, frame by frame, when the page has its navigation, its title, and everything that it waits for. */
function noteMoments() {
  window.moments = {};
  const has = {
    shell: () => document.querySelector("nav a") !== null,
    title: () => document.querySelector("h1") !== null,
    content: () => document.querySelector("main ul") !== null && document.querySelector("main [role=status]") === null,
  };
  const look = () => {
    for (const [name, isThere] of Object.entries(has)) {
      if (!(name in window.moments) && isThere()) window.moments[name] = performance.now();
    }
    if (!("content" in window.moments)) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

export function reportFirstScreen(first) {
  const ms = (name) => ({ value: median(first.map((one) => one[name])), unit: "ms" });
  const bytes = median(first.map((one) => one.bytes));
  table({
    title: "The first screen of the console, at 1.6 Mbit/s",
    names: ["it"],
    figures: [
      {
        "all that travels": { value: bytes / 1024, unit: "KB" },
        "its time on the line": { value: (bytes / line.downloadThroughput) * 1_000, unit: "ms" },
        "the work of the page": ms("work"),
        "until something is painted": ms("paint"),
        "until the navigation is there": ms("shell"),
        "until the title is there": ms("title"),
        "until all its figures are there": ms("content"),
        // Other users of the machine make the time longer, and nothing makes it shorter.
        "the shortest time until then": { value: Math.min(...first.map(({ content }) => content)), unit: "ms" },
      },
    ],
    aims: { "until all its figures are there": "≤ 1000" },
  });
}
