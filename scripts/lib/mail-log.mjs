import { setTimeout as sleep } from "node:timers/promises";
import { dim, oneLine } from "./screen.mjs";

const EVERY_MS = 2_000;
const WIDTH = 80;

/**
 * Prints one line for each email that arrives in the outbox, until the signal. Mail that cannot be read now is read
 * later.
 */
export async function followMail({ call, adminToken, signal, print = console.log }) {
  const known = new Set(await idsOf({ call, adminToken }).catch(() => []));
  for (;;) {
    await sleep(EVERY_MS, undefined, { signal });
    try {
      // Oldest first, in the order of arrival.
      for (const id of (await idsOf({ call, adminToken })).reverse()) {
        if (known.has(id)) continue;
        const mail = await call("GET", `/outbox/messages/${id}`, { key: adminToken });
        known.add(id);
        print(dim(mailLine(mail)));
      }
    } catch {
      // The Worker is reloading or ending, which its own log reports.
    }
  }
}

async function idsOf({ call, adminToken }) {
  const { mails } = await call("GET", "/outbox/version", { key: adminToken });
  return mails.map(({ id }) => id);
}

/** Formats an email in a line of at most 80 columns. */
export function mailLine({ to, subject, createdAt }) {
  const time = new Date(createdAt).toTimeString().slice(0, 8);
  const text = oneLine(`${to}  ${subject || "(no subject)"}`);
  const line = `${time}  mail  ${text}`;
  return line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line;
}
