import { type Reply, readReplyLine } from "../../../core/mail/smtp/reply";
import { secondMs } from "../../../core/time";
import type { Connection } from "./socket";

/** The longest wait for a reply. RFC 5321 allows servers minutes, which is longer than a delivery can wait. */
const patienceMs = 30 * secondMs;

/** The maximum size of a reply, in bytes. It is larger than any reasonable reply. */
const maxReplyBytes = 65_536;

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/** The two directions of a connection: commands are sent, replies are read. */
export interface Wire {
  reply(): Promise<Reply>;
  send(bytes: Uint8Array | string): Promise<void>;
  /** Switches to TLS. Everything that the server said before is discarded (RFC 3207, section 4.2). */
  startTls(): void;
  close(): Promise<void>;
}

export function openWire(opened: Connection): Wire {
  let connection = opened;
  let reader = connection.readable.getReader();
  let writer = connection.writable.getWriter();
  let unread = "";

  async function line(): Promise<string> {
    for (;;) {
      const end = unread.indexOf("\n");
      if (end >= 0) {
        const found = unread.slice(0, end).replace(/\r$/, "");
        unread = unread.slice(end + 1);
        return found;
      }
      if (unread.length > maxReplyBytes) throw new Error("The SMTP server's reply has no end");
      const { value, done } = await within(reader.read());
      if (done) throw new Error("The SMTP server closed the connection");
      unread += decoder.decode(value, { stream: true });
    }
  }

  return {
    async reply() {
      const lines: string[] = [];
      let bytes = 0;
      for (;;) {
        const written = await line();
        const read = readReplyLine(written);
        bytes += written.length;
        if (read === null || bytes > maxReplyBytes) throw new Error("The SMTP server's reply cannot be read");
        lines.push(read.text);
        if (read.isLast) return { code: read.code, lines };
      }
    },
    send: (bytes) => within(writer.write(typeof bytes === "string" ? encoder.encode(bytes) : bytes)),
    startTls() {
      reader.releaseLock();
      writer.releaseLock();
      connection = connection.startTls();
      reader = connection.readable.getReader();
      writer = connection.writable.getWriter();
      unread = "";
    },
    close: () => connection.close(),
  };
}

async function within<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("The SMTP server did not answer in time")), patienceMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
