import { DEMO_DOMAIN } from "./demo.mjs";
import { bold, cyan, dim, green, table, yellow } from "./screen.mjs";

/** What `npm start` shows when the Worker is up. */
export function welcome({ base, debugPort, demo, settings, state, notes }) {
  const keepsMail = settings.MAIL_PROVIDER === "outbox";
  const rows = [
    ["API", cyan(base)],
    ["Docs", cyan(`${base}/docs`)],
    keepsMail ? ["Outbox", cyan(`${base}/outbox`)] : ["Mail", `leaves through ${settings.MAIL_PROVIDER}`],
    ["Secret key", demo.secretKey],
    ["Public key", demo.publicKey],
    ...(debugPort ? [["Debugger", `127.0.0.1:${debugPort}`]] : []),
  ];
  const from = keepsMail ? `hello@${DEMO_DOMAIN}` : "hello@your-verified-domain";
  return [
    "",
    `  ${green("●")} ${bold("Petrel is ready")}`,
    "",
    table(rows),
    ...notes.map((note) => `\n  ${yellow("!")} ${note}`),
    "",
    `  Send a mail${keepsMail ? " and see it in the outbox" : ""}:`,
    "",
    curlLine(base, demo.secretKey, from),
    "",
    dim(`  Ctrl-C stops it. State stays in ${state.shownAs}; npm run reset forgets it.`),
    "",
  ].join("\n");
}

/** One line that pastes the same into bash, zsh and sh: between single quotes nothing is special, and it holds none. */
function curlLine(base, key, from) {
  const mail = {
    to: "ada@example.com",
    from,
    subject: "Welcome to Petrel",
    body: '<p>Hi {{ name ?? "there" }}, your mail works.</p>',
    data: { name: "Ada" },
  };
  const json = JSON.stringify(mail);
  return `curl ${base}/v1/send -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${json}'`;
}
