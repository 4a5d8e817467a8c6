import { createServer, type Server, Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Connect, Connection } from "../../src/platform/mailer/smtp/socket";

/** A mail that the double took. */
interface TakenMail {
  from: string;
  to: string;
  data: string;
}

/** What the double answers to a command, by its first words; undefined for what a server usually says. */
export type Answers = (command: string, socket: Socket) => string | null | undefined;

/**
 * An SMTP server on a TCP port of this machine (RFC 5321), with the parts that a client needs. `answers` replaces single
 * answers: null closes the connection instead. "END" is the end of the data.
 */
export class SmtpDouble {
  taken: TakenMail[] = [];
  commands: string[] = [];
  abilities = ["PIPELINING", "SIZE 1000000", "AUTH PLAIN LOGIN"];
  answers: Answers = () => undefined;
  private server: Server;

  constructor() {
    this.server = createServer((socket) => this.serve(socket));
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("The double has no port");
    return address.port;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(socket: Socket): void {
    let [unread, isData, from, to] = ["", false, "", ""];
    let isSigningIn = 0;
    // A client may be gone at any time.
    socket.on("error", () => {});
    const say = (command: string, usual: string) => {
      const answer = this.answers(command, socket);
      if (answer === null) socket.destroy();
      else socket.write(`${answer ?? usual}\r\n`);
      return answer === undefined;
    };
    say("GREETING", "220 double ESMTP");
    socket.on("data", (bytes) => {
      unread += bytes.toString("utf8");
      for (;;) {
        if (isData) {
          const end = unread.indexOf("\r\n.\r\n");
          if (end < 0) return;
          const data = unread.slice(0, end + 2).replace(/^\.\./gm, ".");
          unread = unread.slice(end + 5);
          isData = false;
          const isLost = this.answers("END", socket) === null;
          if (isLost) this.taken.push({ from, to, data });
          if (say("END", `250 2.0.0 Ok: queued as 4ZQK000${this.taken.length + 1}`))
            this.taken.push({ from, to, data });
          continue;
        }
        const end = unread.indexOf("\r\n");
        if (end < 0) return;
        const command = unread.slice(0, end);
        unread = unread.slice(end + 2);
        this.commands.push(command);
        if (isSigningIn > 0) {
          isSigningIn -= 1;
          say("LOGIN", isSigningIn > 0 ? "334 UGFzc3dvcmQ6" : "235 2.7.0 Ok");
        } else if (/^EHLO/i.test(command)) {
          say(
            "EHLO",
            ["double", ...this.abilities]
              .map((line, i, all) => `250${i < all.length - 1 ? "-" : " "}${line}`)
              .join("\r\n"),
          );
        } else if (/^AUTH LOGIN/i.test(command)) {
          if (say("AUTH", "334 VXNlcm5hbWU6")) isSigningIn = 2;
        } else if (/^AUTH PLAIN/i.test(command)) say("AUTH", "235 2.7.0 Ok");
        else if (/^MAIL FROM:/i.test(command)) {
          from = /<(.*?)>/.exec(command)?.[1] ?? "";
          say("MAIL", "250 Ok");
        } else if (/^RCPT TO:/i.test(command)) {
          to = /<(.*?)>/.exec(command)?.[1] ?? "";
          say(`RCPT ${to}`, "250 Ok");
        } else if (/^DATA/i.test(command)) isData = say("DATA", "354 Go on");
        else if (/^RSET/i.test(command)) say("RSET", "250 Ok");
        else if (/^QUIT/i.test(command)) {
          socket.end("221 Bye\r\n");
          return;
        } else say(command, "502 Unknown");
      }
    });
  }
}

/** Node's sockets in the form of those of Workers. */
export const connectInNode: Connect = async ({ host, port }) => connectionOf(new Socket().connect(port, host));

function connectionOf(socket: Socket): Connection {
  // A failure shows where somebody reads.
  socket.on("error", () => {});
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      socket.on("data", (bytes) => controller.enqueue(new Uint8Array(bytes)));
      socket.on("end", () => closeQuietly(() => controller.close()));
      socket.on("close", () => closeQuietly(() => controller.close()));
      socket.on("error", (error) => closeQuietly(() => controller.error(error)));
    },
  });
  const writable = new WritableStream<Uint8Array>({
    write: (bytes) =>
      new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve()))),
  });
  return {
    readable,
    writable,
    startTls: () => connectionOf(new TLSSocket(socket, { rejectUnauthorized: false })),
    async close() {
      socket.destroy();
    },
  };
}

/** A stream ends once. */
function closeQuietly(close: () => void): void {
  try {
    close();
  } catch {
    // It has ended.
  }
}
