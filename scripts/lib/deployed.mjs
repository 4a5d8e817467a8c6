import { curlLine, sendLine } from "./curl-line.mjs";
import { DEMO_DOMAIN } from "./demo.mjs";
import { FIRST_PROJECT } from "./first-project.mjs";
import { bold, command, cyan, dim, green, table, wrapped, yellow } from "./screen.mjs";

const TOKEN = '"$ADMIN_TOKEN"';
const MARGIN = "  ";

/** Formats all obstacles of a deploy. */
export function obstacleList(obstacles) {
  const count = obstacles.length === 1 ? "One thing is" : `${obstacles.length} things are`;
  const items = obstacles.map((obstacle, index) => `${MARGIN}${index + 1}. ${wrapped(obstacle, `${MARGIN}   `)}`);
  return `Nothing was deployed, and nothing created. ${count} in the way:\n\n${items.join("\n\n")}\n`;
}

/**
 * Formats the secrets, for a terminal only: no file contains them, and Cloudflare does not show them again. Printed
 * before the upload, whose answer may get lost.
 */
export function secretsOnce(secrets) {
  const lines = Object.entries(secrets).map(([name, value]) => `${MARGIN}${dim(name)}\n${MARGIN}${bold(value)}\n`);
  const note =
    "Keep these now: they are shown this once, and stored nowhere but in the Worker. The last ones shown count.";
  return `\n${lines.join("\n")}\n${MARGIN}${wrapped(note, MARGIN)}\n`;
}

/** Formats a note on secrets that are not shown: output that is not a terminal may end up in a log that others read. */
export function secretsUnseen(secrets, name) {
  const note = [
    `${Object.keys(secrets).join(", ")} are made for the Worker and not shown, as this is no terminal.`,
    secrets.ADMIN_TOKEN
      ? `Only ADMIN_TOKEN has to be known to anybody. To set one that you know: ${command(`npx wrangler secret put ADMIN_TOKEN --name ${name}`)}`
      : "They have to be known to nobody.",
  ].join(" ");
  return `\n${MARGIN}${wrapped(note, MARGIN)}\n`;
}

/**
 * Formats the end of `npm run deploy`. `project` is the first one, created by this deploy; `problem` tells why it is
 * unknown whether there is one.
 */
export function deployed({ base, provider, project, problem }) {
  const isSandbox = provider === "outbox";
  const rows = [
    ["API", cyan(base)],
    ["Docs", cyan(`${base}/docs`)],
    isSandbox ? ["Outbox", `${cyan(`${base}/outbox`)}`] : ["Reports", cyan(`${base}/hooks/${provider}`)],
    ...(project
      ? [
          ["Secret", project.secretKey],
          ["Public", project.publicKey],
        ]
      : []),
  ];
  return [
    `\n${MARGIN}${green("●")} ${bold("Petrel is deployed")}\n`,
    table(rows),
    isSandbox
      ? say("A sandbox: it sends no mail. The outbox takes any user name, and ADMIN_TOKEN as the password.")
      : say(`Let ${provider} report to the address above: docs/providers.md.`),
    ...projectLines({ base, isSandbox, project, problem }),
    "",
  ].join("\n");
}

function projectLines({ base, isSandbox, project, problem }) {
  if (project) {
    const once = say(`The keys are those of the project "${FIRST_PROJECT}", and are shown this once.`);
    const owner = project.link
      ? [say("Sign in to the console as its owner, once within a day:"), `\n${MARGIN}${cyan(project.link)}`]
      : [];
    return [once, ...owner, ...mailLines({ base, isSandbox, key: project.secretKey })];
  }
  if (!problem) return [say("There are projects already, so none was made.")];
  return [
    `\n${MARGIN}${yellow("!")} ${wrapped(problem, `${MARGIN}  `)}`,
    say("This makes a project, and answers with its keys:"),
    `\n${curlLine(`${base}/admin/projects`, TOKEN, [`{ "name": "${FIRST_PROJECT}" }`])}`,
  ];
}

/** A sandbox has a verified domain already; a real provider needs one. */
function mailLines({ base, isSandbox, key }) {
  if (isSandbox)
    return [say("Send an email and see it in the outbox:"), `\n${sendLine(base, key, `hello@${DEMO_DOMAIN}`)}`];
  return [
    say("Before the first mail, verify the domain that you send from. Register it:"),
    `\n${curlLine(`${base}/domains`, key, [`{ "domain": "your-domain" }`])}`,
    say(
      "Create the DNS records of the answer. Petrel looks for them every five minutes; GET /domains shows when the domain is verified. Then send an email:",
    ),
    `\n${sendLine(base, key, "hello@your-domain")}`,
  ];
}

function say(text) {
  return `\n${MARGIN}${wrapped(text, MARGIN)}`;
}
