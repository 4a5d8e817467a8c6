import type { Receipt } from "../../../core/mail/receipt";
import { dotStuffed } from "../../../core/mail/smtp/dot-stuffed";
import { receiptOfReply, type Stage } from "../../../core/mail/smtp/outcome";
import { queueIdOf, type Reply, readAbilities } from "../../../core/mail/smtp/reply";
import type { SmtpSettings } from "./settings";
import type { Connection } from "./socket";
import { openWire, type Wire } from "./wire";

/** An email in the form in which it is transmitted. */
export interface Envelope {
  from: string;
  to: string;
  emailId: string;
  mime: Uint8Array;
}

/** The server refused a command. `receipt` is the result for the mail. */
class Refused extends Error {
  constructor(readonly receipt: Receipt) {
    super("The SMTP server refused");
  }
}

export interface Session {
  /**
   * Hands one email over. Throws when its outcome is unknown, because the end of the data was sent and no answer came.
   */
  send(mail: Envelope): Promise<Receipt>;
  close(): Promise<void>;
}

/**
 * Connects: greets the server, starts TLS and signs in (RFC 5321, 3207 and 4954). If the server refuses a command or
 * does not answer, returns a receipt instead of a session, because no mail was handed over.
 */
export async function openSession(
  connection: Connection,
  { security, login }: Pick<SmtpSettings, "security" | "login">,
  ownName: string,
): Promise<Session | Receipt> {
  const wire = openWire(connection);
  try {
    await expect(wire, 220, "greeting");
    let abilities = readAbilities(await ask(wire, `EHLO ${ownName}`, 250, "greeting"));
    if (security === "starttls") {
      if (!abilities.has("STARTTLS")) throw blocked("The SMTP server offers no STARTTLS");
      await ask(wire, "STARTTLS", 220, "greeting");
      wire.startTls();
      abilities = readAbilities(await ask(wire, `EHLO ${ownName}`, 250, "greeting"));
    }
    if (login !== null) await signIn(wire, login, abilities.get("AUTH") ?? []);
    return sessionOn(wire, abilities);
  } catch (error) {
    await close(wire);
    return error instanceof Refused ? error.receipt : unavailable(error);
  }
}

async function signIn(wire: Wire, { user, password }: NonNullable<SmtpSettings["login"]>, methods: string[]) {
  if (methods.includes("PLAIN")) {
    await ask(wire, `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 235, "sign in");
  } else if (methods.includes("LOGIN")) {
    await ask(wire, "AUTH LOGIN", 334, "sign in");
    await ask(wire, base64(user), 334, "sign in");
    await ask(wire, base64(password), 235, "sign in");
  } else throw blocked("The SMTP server offers neither AUTH PLAIN nor AUTH LOGIN");
}

function sessionOn(wire: Wire, abilities: Map<string, string[]>): Session {
  const maxBytes = Number(abilities.get("SIZE")?.[0] ?? 0);
  let isFirst = true;
  return {
    async send({ from, to, emailId, mime }) {
      const data = dotStuffed(mime);
      const needsUtf8 = !isAscii(from) || !isAscii(to);
      if (needsUtf8 && !abilities.has("SMTPUTF8")) return refused("The SMTP server accepts only ASCII addresses");
      if (maxBytes > 0 && data.length > maxBytes)
        return refused(`The SMTP server accepts mail of at most ${maxBytes} bytes`);
      let isEnded = false;
      try {
        if (!isFirst) await ask(wire, "RSET", 250, "greeting");
        isFirst = false;
        const size = abilities.has("SIZE") ? ` SIZE=${data.length}` : "";
        await ask(wire, `MAIL FROM:<${from}>${size}${needsUtf8 ? " SMTPUTF8" : ""}`, 250, "sender");
        await ask(wire, `RCPT TO:<${to}>`, 250, "recipient");
        await ask(wire, "DATA", 354, "data");
        await wire.send(data);
        // From here on, the server may have accepted the mail.
        isEnded = true;
        const reply = await ask(wire, ".", 250, "end of data");
        return { kind: "accepted", providerMessageId: queueIdOf(reply) ?? emailId, reports: [] };
      } catch (error) {
        if (error instanceof Refused) return error.receipt;
        if (isEnded) throw error;
        return unavailable(error);
      }
    },
    async close() {
      await wire.send("QUIT\r\n").catch(() => {
        // The connection is already gone.
      });
      await close(wire);
    },
  };
}

async function ask(wire: Wire, command: string, code: number, stage: Stage): Promise<Reply> {
  // A line break in an address would begin another command.
  if (/[\r\n\0]/.test(command)) throw new Refused(refused("An address has a line break"));
  await wire.send(`${command}\r\n`);
  return expect(wire, code, stage);
}

async function expect(wire: Wire, code: number, stage: Stage): Promise<Reply> {
  const reply = await wire.reply();
  // Any reply of the same class counts as a success: RCPT may also be answered with 251.
  if (Math.floor(reply.code / 100) === Math.floor(code / 100)) return reply;
  throw new Refused(receiptOfReply(reply, stage));
}

async function close(wire: Wire): Promise<void> {
  await wire.close().catch(() => {
    // A connection that cannot be closed is closed already.
  });
}

function blocked(reason: string): Refused {
  return new Refused({ kind: "blocked", reason });
}

function refused(reason: string): Receipt {
  return { kind: "refused", reason };
}

/** Returns the receipt for an email that was not handed over, because the end of the data was never sent. */
function unavailable(error: unknown): Receipt {
  return { kind: "unavailable", reason: error instanceof Error ? error.message : "The SMTP server does not answer" };
}

function isAscii(address: string): boolean {
  return /^[\x20-\x7e]*$/.test(address);
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
