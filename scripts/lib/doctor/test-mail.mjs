import { setTimeout as sleep } from "node:timers/promises";
import { apiOf } from "../api.mjs";
import { Failure } from "../failure.mjs";

const WITHIN_MS = 60_000;
const EVERY_MS = 250;
const CALLS_WITHIN_MS = 90_000;
const UNDER_WAY = ["QUEUED", "SENDING", "SENT"];
const SENT = ["SENT", "DELIVERED", "OPENED", "CLICKED"];

/**
 * Sends an email from the newest verified domain of the key's project, and follows its record until it is delivered or
 * final, for at most a minute. `begun` is called with the sender, and `changed` with each state and the seconds since
 * the call.
 */
export async function sendTestMail({ base, key, to, begun, changed }) {
  const call = apiOf(base, AbortSignal.timeout(CALLS_WITHIN_MS));
  const from = await findSender(call, key);
  begun(from);
  const startedAt = performance.now();
  const steps = [];
  const note = (status) => {
    if (steps.at(-1)?.status === status) return;
    const step = { status, seconds: Math.round((performance.now() - startedAt) / 100) / 10 };
    steps.push(step);
    changed(step);
  };
  const { data } = await call("POST", "/v1/send", { key, body: { to, from, ...CONTENT } });
  const [{ email: id, status }] = data.emails;
  note(status);
  let email;
  do {
    await sleep(EVERY_MS);
    email = await call("GET", `/emails/${id}`, { key });
    note(email.status);
  } while (isUnderWay(email.status) && performance.now() - startedAt < WITHIN_MS);
  const { error, provider } = email;
  return { id, from, to, status: email.status, error, provider, steps, sent: SENT.includes(email.status) };
}

/** Whether the mail may still change by itself. The provider's report after SENT may take long, or never come. */
export function isUnderWay(status) {
  return UNDER_WAY.includes(status);
}

const CONTENT = {
  subject: "A test mail of Petrel",
  body: "<p>This email was sent by <code>npm run doctor</code>. Its arrival shows that this Petrel sends mail.</p>",
  tracking: false,
};

async function findSender(call, key) {
  const domains = await call("GET", "/domains", { key });
  const verified = domains.find((domain) => domain.verified);
  if (!verified) throw new Failure("The project of this key has no verified domain to send from: GET /domains.");
  return `doctor@${verified.domain}`;
}
