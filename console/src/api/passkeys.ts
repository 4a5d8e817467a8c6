import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { ConnectionError } from "petrel-client";
import { ask } from "./ask";

export interface Passkey {
  id: string;
  name: string;
  credentialId: string;
  transports: NonNullable<NonNullable<PublicKeyCredentialRequestOptionsJSON["allowCredentials"]>[number]["transports"]>;
  isSynced: boolean;
  createdAt: string;
  lastUsedAt: string | null;
}

export const passkeysKey = ["passkeys"];

/** The browser returned no passkey, because its user cancelled or the device already has one for this person. */
export class NoPasskey extends Error {
  override name = "NoPasskey";
  constructor(
    readonly reason: "declined" | "known",
    cause: unknown,
  ) {
    super(reason, { cause });
  }
}

const webAuthn = () =>
  import("@simplewebauthn/browser").catch((cause) => {
    throw new ConnectionError("The part of the console that asks for passkeys could not be loaded", { cause });
  });

/** Whether the browser supports passkeys here: on https, or on localhost. */
export const hasPasskeys = typeof globalThis.PublicKeyCredential === "function";

/** Signs in with a passkey that the browser finds, or with one of the given ones. */
export async function signInByPasskey(own: Passkey[] = []): Promise<void> {
  const [{ startAuthentication }, options] = await Promise.all([webAuthn(), signInOptions()]);
  const allowCredentials = own.map(({ credentialId: id, transports }) => ({
    id,
    type: "public-key" as const,
    transports,
  }));
  await finish(() => startAuthentication({ optionsJSON: { ...options, allowCredentials } }));
}

/**
 * Offers passkeys in the address field, until one is chosen, another request for a passkey begins, or the signal is
 * aborted. Returns whether the person has signed in.
 */
export async function offerPasskeys(signal: AbortSignal): Promise<boolean> {
  if (!hasPasskeys) return false;
  const { browserSupportsWebAuthnAutofill, startAuthentication, WebAuthnAbortService } = await webAuthn();
  if (!(await browserSupportsWebAuthnAutofill())) return false;
  // If the service has no passkeys, the button explains why.
  const optionsJSON = await signInOptions().catch(() => null);
  if (optionsJSON === null || signal.aborted) return false;
  signal.addEventListener("abort", () => WebAuthnAbortService.cancelCeremony(), { once: true });
  await finish(() => startAuthentication({ optionsJSON, useBrowserAutofill: true }));
  return true;
}

async function finish(choose: () => Promise<unknown>): Promise<void> {
  await ask("POST", "/console/session/passkey", { credential: await chosen(choose) });
}

function signInOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return ask("POST", "/console/session/passkey/options");
}

export async function addPasskey(name: string): Promise<Passkey> {
  const optionsJSON = await ask<PublicKeyCredentialCreationOptionsJSON>("POST", "/console/passkeys/options");
  const { startRegistration } = await webAuthn();
  const credential = await chosen(() => startRegistration({ optionsJSON }));
  return ask("POST", "/console/passkeys", { name, credential });
}

export async function listPasskeys(): Promise<Passkey[]> {
  return (await ask<{ data: Passkey[] }>("GET", "/console/passkeys")).data;
}

export function renamePasskey(id: string, name: string): Promise<Passkey> {
  return ask("PATCH", `/console/passkeys/${encodeURIComponent(id)}`, { name });
}

export function removePasskey(id: string): Promise<void> {
  return ask("DELETE", `/console/passkeys/${encodeURIComponent(id)}`);
}

async function chosen<Credential>(choose: () => Promise<Credential>): Promise<Credential> {
  try {
    return await choose();
  } catch (error) {
    const { name } = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
    if (name === "InvalidStateError") throw new NoPasskey("known", error);
    if (name === "NotAllowedError" || name === "AbortError") throw new NoPasskey("declined", error);
    throw error;
  }
}
