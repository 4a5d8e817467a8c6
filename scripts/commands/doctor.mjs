import { readHealth } from "../lib/doctor/health.mjs";
import { healthReport } from "../lib/doctor/health-report.mjs";
import { mailEnd, mailStart, mailStep } from "../lib/doctor/mail-report.mjs";
import { sendTestMail } from "../lib/doctor/test-mail.mjs";
import { Failure } from "../lib/failure.mjs";
import { findOperator } from "../lib/operator.mjs";
import { readOptions } from "../lib/options.mjs";
import { locateState, readJson } from "../lib/state.mjs";

const HELP = `
  npm run doctor                         checks the Petrel that runs here
  npm run doctor -- --deployed           checks the deployed one, with
                                         ADMIN_TOKEN in the environment, whose
                                         value may be a monitor key
  npm run doctor -- --send ada@acme.com  sends an email too; follows it until
                                         it is delivered: from the demo project,
                                         or with --deployed from the project
                                         whose secret key is in PETREL_KEY
  npm run doctor -s -- --json            prints the answer of GET /admin/health,
                                         with the mail of --send

  The exit code is 1 when a check fails or the mail is not sent, else 0.
  docs/health.md lists the checks.
`;
const OPTIONS = {
  deployed: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  send: { type: "string" },
};

/** `npm run doctor`: prints what is wrong with an installation, and how to fix it. */
export async function main(args) {
  const { help, deployed, json, send: to } = readOptions(args, OPTIONS, HELP).values;
  if (help) return console.log(HELP);
  const key = to === undefined ? null : senderKey(deployed);
  const { base, adminToken } = await findOperator(deployed);
  const health = await readHealth({ base, adminToken });
  const print = json ? () => {} : (text) => console.log(text);
  print(healthReport(base, health));
  const mail = key && (await tryMail({ base, key, to, print }));
  if (json) console.log(JSON.stringify(mail ? { ...health, mail } : health, null, 2));
  return health.status === "fail" || (mail && !mail.sent) ? 1 : 0;
}

/** Returns the secret key of the sending project. */
function senderKey(isDeployed) {
  if (!isDeployed) {
    const state = locateState(process.env);
    const demo = readJson(state.demo);
    if (!demo) throw new Failure(`No demo project is noted in ${state.shownAs}: npm start makes one.`);
    return demo.secretKey;
  }
  const key = process.env.PETREL_KEY;
  if (!key) throw new Failure("--send takes the secret key of a project: set PETREL_KEY in the environment.");
  return key;
}

/** A refused mail is a finding too, so the health is shown nevertheless. */
async function tryMail({ base, key, to, print }) {
  const mail = await sendTestMail({
    base,
    key,
    to,
    begun: (from) => print(mailStart({ from, to })),
    changed: (step) => print(mailStep(step)),
  }).catch((error) => {
    if (!(error instanceof Failure)) throw error;
    return { to, status: null, error: error.message, sent: false };
  });
  print(mailEnd(base, mail));
  return mail;
}
