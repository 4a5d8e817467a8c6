import { writeFileSync } from "node:fs";
import { readJson } from "./state.mjs";

const NAME = "Demo";
export const DEMO_DOMAIN = "petrel.test";

/**
 * Returns a project for trying things. The API shows keys only once, so they are stored in the state folder; lost or
 * revoked keys are replaced.
 */
export async function ensureDemoProject({ call, state, adminToken, wantsDomain }) {
  const admin = (method, path, body) => call(method, path, { key: adminToken, body });
  let demo = readJson(state.demo);
  let domains = demo && (await readDomains(call, demo));
  if (!domains) {
    demo = await openProject(admin);
    writeFileSync(state.demo, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
    domains = await readDomains(call, demo);
  }
  if (wantsDomain && !domains.some(({ domain }) => domain === DEMO_DOMAIN)) {
    await call("POST", "/domains", { key: demo.secretKey, body: { domain: DEMO_DOMAIN } });
  }
  return demo;
}

/** Null when the keys do not work. */
async function readDomains(call, { projectId, secretKey }) {
  const path = `/domains/project/${projectId}`;
  return call("GET", path, { key: secretKey, accept: [401, 404] });
}

async function openProject(admin) {
  const found = await findProject(admin);
  if (!found) {
    const { project, keys } = await admin("POST", "/admin/projects", { name: NAME });
    return { projectId: project.id, secretKey: keys.secret, publicKey: keys.public };
  }
  const newKey = async (kind) => (await admin("POST", `/admin/projects/${found.id}/keys`, { kind })).key;
  return { projectId: found.id, secretKey: await newKey("secret"), publicKey: await newKey("public") };
}

async function findProject(admin) {
  let cursor = "";
  do {
    const page = await admin("GET", `/admin/projects?limit=100&cursor=${encodeURIComponent(cursor)}`);
    const found = page.data.find(({ name }) => name === NAME);
    if (found) return found;
    cursor = page.cursor;
  } while (cursor);
  return null;
}
