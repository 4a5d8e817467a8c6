import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../lib/failure.mjs";
import { ensureInstalled } from "../lib/install.mjs";
import { findFreePort, isPortFree } from "../lib/port.mjs";
import { OWN_SECRETS } from "../lib/settings.mjs";
import { startPetrel } from "../lib/start-as-user.mjs";

const MAIL_WITHIN_MS = 20_000;

/** `npm run smoke`: goes through the first minutes of a new user, with a port and a state of its own. */
export async function main() {
  await ensureInstalled();
  const port = await findFreePort();
  const stateDir = mkdtempSync(join(tmpdir(), "petrel-smoke-"));
  // All secrets are given, so .dev.vars is neither written nor needed.
  const secrets = Object.fromEntries(OWN_SECRETS.map(({ name, make }) => [name, make()]));
  const settings = { PORT: String(port), STATE_DIR: stateDir, MAIL_PROVIDER: "outbox", ENVIRONMENT: "development" };
  const petrel = startPetrel({ ...settings, ...secrets });
  try {
    await useIt(await petrel.ready);
  } finally {
    petrel.stop();
    await petrel.ended;
    rmSync(stateDir, { recursive: true });
  }
  expect((await petrel.ended) === 0, "npm start ends with exit code 0");
  expect(await isPortFree(port), "the port is free again");
}

async function useIt({ base, secretKey, curlLine }) {
  const health = await fetch(`${base}/health`).then((response) => response.json());
  expect(health.status === "ok", "GET /health says ok");

  const to = "smoke@example.com";
  const response = await fetch(`${base}/v1/send`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secretKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ to, from: "hello@petrel.test", subject: "Smoke", body: '<p>Hi {{ name ?? "there" }}</p>' }),
  });
  expect(response.status === 200, "POST /v1/send takes an email", await response.text());
  const mail = await waitForMail(base, to);
  const isWhole = mail.subject === "Smoke" && mail.html.includes("<p>Hi there</p>") && mail.text.includes("Hi there");
  expect(isWhole, "the outbox shows subject, HTML and text", JSON.stringify(mail));

  const paste = spawnSync("bash", ["-c", curlLine], { encoding: "utf8" });
  if (/not found/.test(paste.stderr) || paste.error)
    return console.log("smoke: no bash or curl here, the curl line is left out");
  const pasted = await waitForMail(base, "ada@example.com");
  expect(pasted.html.includes("Hi Ada"), "the printed curl line sends an email", paste.stdout);
}

async function waitForMail(base, to) {
  const deadline = Date.now() + MAIL_WITHIN_MS;
  while (Date.now() < deadline) {
    const page = await fetch(`${base}/outbox/messages?to=${encodeURIComponent(to)}`).then((response) =>
      response.json(),
    );
    if (page.data.length > 0) return page.data[0];
    await sleep(200);
  }
  throw new Failure(`smoke: failed, no mail for ${to} in the outbox after ${MAIL_WITHIN_MS / 1000} seconds`);
}

function expect(holds, promise, found = "") {
  if (!holds) throw new Failure(`smoke: failed, ${promise}: not so. ${found}`);
  console.log(`smoke: ok, ${promise}`);
}
