import { messageIn } from "../api.mjs";
import { Failure } from "../failure.mjs";
import { oneLine } from "../screen.mjs";

const PATH = "/admin/health";
const WITHIN_MS = 10_000;
const MOST_SHOWN = 200;
const STATES = ["ok", "warn", "fail"];

/** Returns the answer of GET /admin/health. Throws a Failure that explains why there is none. */
export async function readHealth({ base, adminToken }) {
  const response = await ask(base, PATH, adminToken);
  const text = await response.text().catch((error) => {
    throw noAnswer(base, error);
  });
  if (response.status === 401) {
    throw new Failure(
      `${base} does not take this ADMIN_TOKEN: set the one that the Worker has, or a key of kind monitor.`,
    );
  }
  if (response.status === 404) throw new Failure(await reasonOfNone(base, adminToken));
  if (!response.ok) throw new Failure(`${base} answered ${response.status} to GET ${PATH}: ${excerpt(text)}`);
  const health = parse(text);
  if (health === null) throw new Failure(`${base} answers, but not as Petrel: is that its address?`);
  return health;
}

async function ask(base, path, adminToken) {
  const headers = { Authorization: `Bearer ${adminToken}` };
  return fetch(base + path, { headers, signal: AbortSignal.timeout(WITHIN_MS) }).catch((error) => {
    throw noAnswer(base, error);
  });
}

function noAnswer(base, error) {
  const reason =
    error.name === "TimeoutError" ? `within ${WITHIN_MS / 1000} seconds` : `(${error.cause?.code ?? error.message})`;
  return new Failure(
    `${base} gave no answer ${reason}: check the address and your network. A new address can take some minutes.`,
  );
}

/**
 * Returns why the route is missing: a Worker without its ADMIN_TOKEN has no operator routes at all, and an earlier
 * version lacks only this one.
 */
async function reasonOfNone(base, adminToken) {
  const { ok } = await ask(base, "/admin/projects?limit=1", adminToken);
  return ok
    ? `The Petrel at ${base} is of an earlier version, which has no GET ${PATH}: deploy this one with npm run deploy.`
    : `${base} has no GET ${PATH}: the Worker has no ADMIN_TOKEN, or something else answers at this address.`;
}

/** Null for an answer that is not Petrel's. */
function parse(text) {
  try {
    const health = JSON.parse(text);
    return STATES.includes(health.status) && health.checks.every(isCheck) ? health : null;
  } catch {
    return null;
  }
}

function isCheck({ name, status, summary }) {
  return typeof name === "string" && STATES.includes(status) && typeof summary === "string";
}

function excerpt(text) {
  const line = oneLine(messageIn(text));
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}
