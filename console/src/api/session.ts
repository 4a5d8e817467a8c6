import { errorOf } from "petrel-client";

/** A project of the person who is signed in, and what they may do there. */
export interface OwnProject {
  id: string;
  name: string;
  disabled: boolean;
  testClock: boolean;
  role: string;
  /** Whether an editor may also send what they write. */
  maySend: boolean;
}

export interface SignedIn {
  person: { id: string; email: string; name: string | null; locale: string | null };
  isOwner: boolean;
  projects: OwnProject[];
}

/** Whether the installation can mail links, and what to do where it cannot. */
export interface LinkAnswer {
  mail: "ON" | "OFF";
  message: string;
}

export function readMe(): Promise<SignedIn> {
  return ask("GET", "/console/me");
}

export function askForLink(email: string): Promise<LinkAnswer> {
  return ask("POST", "/console/session/link", { email });
}

export function typeCode(code: string): Promise<void> {
  return ask("POST", "/console/session/code", { code });
}

export function signOut(): Promise<void> {
  return ask("DELETE", "/console/session");
}

/** The routes by which people sign in take no key, so the client does not have them. */
async function ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await fetch(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("Content-Type")?.includes("json") ?? false;
  const said: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
  if (!answer.ok) throw errorOf(answer, said);
  return said as Body; // the routes above say which
}
