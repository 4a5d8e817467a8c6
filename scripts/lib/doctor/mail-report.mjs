import { bold, dim, green, oneLine, red, wrapped, yellow } from "../screen.mjs";
import { isUnderWay } from "./test-mail.mjs";

const MARGIN = "  ";

export function mailStart({ from, to }) {
  return `${MARGIN}${bold("Mail")} ${wrapped(oneLine(`from ${from} to ${to}`), `${MARGIN}     `)}\n`;
}

/** Formats a state that the mail has reached, and when. */
export function mailStep({ status, seconds }) {
  return `${MARGIN}${dim(`${seconds.toFixed(1)} s`.padStart(7))}  ${status}`;
}

/** Formats what became of the mail. */
export function mailEnd(base, mail) {
  const [mark, text] = endOf(mail, base);
  return `\n${MARGIN}${mark} ${wrapped(oneLine(text), `${MARGIN}  `)}\n`;
}

function endOf({ status, error, provider, sent }, base) {
  if (status === null) return [red("✗"), error];
  if (status === "SENT") {
    return [
      yellow("!"),
      `${provider} accepted the mail, and reported no delivery within a minute. Look at the check mail_reports, and into the mailbox.`,
    ];
  }
  if (isUnderWay(status)) {
    return [red("✗"), "The mail was not sent within a minute: look at the checks mail_lanes, queued_mail and crons."];
  }
  if (!sent) return [red("✗"), `The mail is ${status}${error ? `: ${error}` : "."}`];
  return [green("●"), provider === "outbox" ? `Delivered to the outbox: ${base}/outbox` : "Delivered to the mailbox."];
}
