import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../scripts/lib/port.mjs";
import { OWN_SECRETS } from "../../scripts/lib/settings.mjs";
import { startPetrel } from "../../scripts/lib/start-as-user.mjs";

/** The product as a user has it. */
export interface Product {
  base: string;
  /** Of the demo project, which may send from petrel.test. */
  secretKey: string;
  adminToken: string;
  /** STATE_DIR of its scripts. */
  stateDir: string;
  /** A port of this machine that webhooks may call. */
  receiverPort: number;
  /** A port of this machine that is asked first for DNS records. Mostly nobody listens there. */
  resolverPort: number;
}

/** Starts it on a port and a state of its own. With all secrets given, the developer's .dev.vars stays as it is. */
export async function startProduct(
  settings: Record<string, string> = {},
): Promise<{ product: Product; stop(): Promise<void> }> {
  const stateDir = mkdtempSync(join(tmpdir(), "petrel-product-"));
  const [receiverPort, resolverPort] = [await findFreePort(), await findFreePort()];
  const secrets = Object.fromEntries(OWN_SECRETS.map(({ name, make }) => [name, make()]));
  const petrel = startPetrel({
    PORT: String(await findFreePort()),
    STATE_DIR: stateDir,
    ENVIRONMENT: "development",
    MAIL_PROVIDER: "outbox",
    OUTBOUND_ALLOW_LOOPBACK: `localhost:${receiverPort}`,
    DNS_RESOLVER_URL: `http://127.0.0.1:${resolverPort}/dns-query`,
    ...secrets,
    ...settings,
  });
  async function stop() {
    petrel.stop();
    await petrel.ended;
    rmSync(stateDir, { recursive: true, force: true });
  }
  try {
    const { base, secretKey } = await petrel.ready;
    const adminToken = secrets.ADMIN_TOKEN ?? "";
    return { product: { base, secretKey, adminToken, stateDir, receiverPort, resolverPort }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export async function sendMail(product: Product, fields: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${product.base}/v1/send`, {
    method: "POST",
    headers: { Authorization: `Bearer ${product.secretKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ from: "hello@petrel.test", subject: "Hello", body: "<p>Hello</p>", ...fields }),
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
}
