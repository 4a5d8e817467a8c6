import { DEMO_DOMAIN } from "./demo.mjs";
import { bold, cyan, dim, green, table, yellow } from "./screen.mjs";

/** What `npm start` shows when the Worker is up. */
export function welcome({ base, debugPort, demo, settings, state, notes }) {
  const keepsMail = settings.MAIL_PROVIDER === "outbox";
  const rows = [
    ["API", cyan(base)],
    ["Docs", cyan(`${base}/docs`)],
    keepsMail ? ["Outbox", cyan(`${base}/outbox`)] : ["Mail", `leaves through ${settings.MAIL_PROVIDER}`],
    ["Secret", demo.secretKey],
    ["Public", demo.publicKey],
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
    dim(`  State stays in ${state.shownAs}; npm run reset forgets it.`),
    dim("  Each mail gets a line below. Ctrl-C stops Petrel."),
    "",
  ].join("\n");
}

/**
 * Pastes the same into bash, zsh and sh: between single quotes nothing is special, and it holds none. The key has a line
 * of its own, so that all fit 80 columns.
 */
function curlLine(base, key, from) {
  return [
    `curl ${base}/v1/send \\`,
    `-H 'Content-Type: application/json' -H 'Authorization: Bearer '\\`,
    `'${key}' \\`,
    `-d '{ "to": "ada@example.com", "from": "${from}",`,
    `"subject": "Welcome to Petrel", "data": { "name": "Ada" },`,
    `"body": "<p>Hi {{ name ?? \\"there\\" }}, your mail works.</p>" }'`,
  ].join("\n");
}
