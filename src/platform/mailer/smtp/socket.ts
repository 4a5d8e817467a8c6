import type { SmtpSettings } from "./settings";

/** A connection to a server, as `cloudflare:sockets` has it. */
export interface Connection {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
  startTls(): Connection;
  close(): Promise<void>;
}

/** Opens a connection. It may not be there yet: the first read waits for it. */
export type Connect = (settings: Pick<SmtpSettings, "host" | "port" | "security">) => Promise<Connection>;

const transports = { tls: "on", starttls: "starttls", none: "off" } as const;

/** Loaded with the first mail: an installation with another provider needs no sockets. */
export const connectTo: Connect = async ({ host, port, security }) => {
  const { connect } = await import("cloudflare:sockets");
  return connect({ hostname: host, port }, { secureTransport: transports[security], allowHalfOpen: false });
};
