import { currentProcess } from "./processes.mjs";
import { webCrypto } from "./web-crypto.mjs";

const RealDate = Date;
/** Methods that read with the machine's own threads, and so would end at any time. */
const readers = [
  ...["arrayBuffer", "text"].map((name) => readerOf(Blob, name)),
  ...[Request, Response].map((Body) => readerOf(Body, "formData")),
];

function readerOf({ prototype }, name) {
  return { prototype, name, read: prototype[name] };
}

/**
 * Puts a world's time and chance in the place of those of the machine: `Date`, timers, `Math.random` and `crypto`. The code
 * that is simulated takes them from there.
 */
export function installGlobals(time, random, boundary) {
  // Clocks of machines differ.
  const now = () => time.now + (currentProcess()?.skewMs ?? 0);
  class VirtualDate extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(now());
      else super(...given);
    }
    static now() {
      return Math.floor(now());
    }
  }
  const bytes = (array) => {
    const view = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let place = 0; place < view.length; place++) view[place] = random() * 256;
    return array;
  };
  const subtle = webCrypto((call) => time.hold(call));
  const randomUUID = () => {
    const hex = Buffer.from(bytes(new Uint8Array(16))).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  define({
    Date: VirtualDate,
    setTimeout: (work, ms, ...given) => {
      const process = currentProcess();
      if (process === undefined) return time.set(() => work(...given), ms);
      return time.set(() => {
        if (!process.isDead) process.run(() => work(...given));
      }, ms);
    },
    clearTimeout: (id) => time.clear(id),
    scheduler: { wait: (ms) => boundary(() => time.wait(ms)) },
    crypto: { subtle, getRandomValues: bytes, randomUUID },
    performance: { now },
    // Libraries compile nothing at run time where this is the runtime, as no Worker may.
    navigator: { userAgent: "Cloudflare-Workers" },
  });
  for (const { prototype, name, read } of readers) {
    prototype[name] = function () {
      return time.hold(() => read.call(this));
    };
  }
  Math.random = random;
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException("The operation timed out", "TimeoutError")), ms);
    return controller.signal;
  };
}

function define(values) {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}
