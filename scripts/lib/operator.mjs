import { Failure } from "./failure.mjs";
import { addressOf, readInstallation } from "./installation.mjs";
import { findRunning } from "./running.mjs";
import { adminTokenOf } from "./settings.mjs";
import { locateState } from "./state.mjs";

/** Returns the address and the token of the Petrel that runs here, or of the deployed one. */
export async function findOperator(isDeployed) {
  return isDeployed ? findDeployed() : findLocal();
}

async function findLocal() {
  const { base, settings } = await findRunning(locateState(process.env));
  return { base, adminToken: adminTokenOf(settings) };
}

function findDeployed() {
  const base = addressOf(readInstallation());
  const adminToken = adminTokenOf({ ADMIN_TOKEN: process.env.ADMIN_TOKEN ?? "" });
  if (!base) throw new Failure("petrel.toml names no address: deploy first, with npm run deploy.");
  if (!adminToken) throw new Failure("ADMIN_TOKEN is not in the environment.");
  return { base, adminToken };
}
