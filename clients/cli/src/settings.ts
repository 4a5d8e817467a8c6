import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { Petrel } from "petrel-client";
import { UsageError } from "./command";

/** Returns the environment, extended by `.env`. */
export function readSettings(): Record<string, string | undefined> {
  return { ...(existsSync(".env") ? parseEnv(readFileSync(".env", "utf8")) : {}), ...process.env };
}

/** Opens the project that `PETREL_URL` and `PETREL_KEY` name, in the environment or in `.env`. Throws UsageError. */
export function openPetrel(): Petrel {
  const { PETREL_URL: baseUrl, PETREL_KEY: key } = readSettings();
  if (!baseUrl || !key) {
    const missing = [!baseUrl && "PETREL_URL", !key && "PETREL_KEY"].filter(Boolean).join(" and ");
    throw new UsageError(
      `${missing} must be set, in the environment or in a file .env here:\n\n` +
        "  PETREL_URL=https://mail.acme.com\n  PETREL_KEY=sk_…\n\n" +
        "Keep .env out of git: the key opens the whole project.",
    );
  }
  if (!URL.canParse(baseUrl)) throw new UsageError(`PETREL_URL is ${baseUrl}, which is no address: https://… is one`);
  if (key.startsWith("pk_")) throw new UsageError("PETREL_KEY is a public key (pk_…): use a secret one (sk_…)");
  return new Petrel({ key, baseUrl });
}
