import type { SmtpSettings } from "./settings";

/** A connection to a server, in the form of `cloudflare:sockets`. */
export interface Connection {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
  startTls(): Connection;
  close(): Promise<void>;
}

/** Opens a connection, without waiting until it is established: the first read waits for that. */
export type Connect = (settings: Pick<SmtpSettings, "host" | "port" | "security">) => Promise<Connection>;

const transports = { tls: "on", starttls: "starttls", none: "off" } as const;

/**
 * Connects to a server. Sockets are loaded with the first mail, because an installation with another provider needs
 * none.
 */
export const connectTo: Connect = async ({ host, port, security }) => {
  const { connect } = await import("cloudflare:sockets");
  return connect({ hostname: host, port }, { secureTransport: transports[security], allowHalfOpen: false });
};
