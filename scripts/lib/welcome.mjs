import { sendLine } from "./curl-line.mjs";
import { DEMO_DOMAIN } from "./demo.mjs";
import { bold, cyan, dim, green, table, yellow } from "./screen.mjs";

/** Formats what `npm start` shows when the Worker is running. */
export function welcome({ base, debugPort, demo, link, settings, state, tokenPlace, notes }) {
  const keepsMail = settings.MAIL_PROVIDER === "outbox";
  const rows = [
    ["API", cyan(base)],
    ["Docs", cyan(`${base}/docs`)],
    keepsMail ? ["Outbox", cyan(`${base}/outbox`)] : ["Mail", `leaves through ${settings.MAIL_PROVIDER}`],
    ["Secret", demo.secretKey],
    ["Public", demo.publicKey],
    ["Operator", `ADMIN_TOKEN, in ${tokenPlace}, for /admin`],
    ...(debugPort ? [["Debugger", `127.0.0.1:${debugPort}`]] : []),
  ];
  const from = keepsMail ? `hello@${DEMO_DOMAIN}` : "hello@your-verified-domain";
  return [
    "",
    `  ${green("●")} ${bold("Petrel is ready")}`,
    "",
    table(rows),
    ...(link ? ["", "  Sign in to the console as its owner, once within a day:", "", `  ${cyan(link)}`] : []),
    ...notes.map((note) => `\n  ${yellow("!")} ${note}`),
    "",
    `  Send an email${keepsMail ? " and see it in the outbox" : ""}:`,
    "",
    sendLine(base, demo.secretKey, from),
    "",
    dim(`  State stays in ${state.shownAs}; npm run reset forgets it.`),
    dim("  Each email gets a line below. Ctrl-C stops Petrel."),
    "",
  ].join("\n");
}
