import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { ask } from "./ask";
import { forgetAllBut, sessionKey } from "./queries";

/** A project of the signed-in person, and the person's rights there. */
export interface OwnProject {
  id: string;
  name: string;
  disabled: boolean;
  testClock: boolean;
  role: "viewer" | "editor" | "admin" | "owner";
  /** Whether an editor may also send what they write. */
  maySend: boolean;
}

export interface SignedIn {
  person: { id: string; email: string; name: string | null; locale: string | null };
  isOwner: boolean;
  projects: OwnProject[];
}

/** Whether the installation can mail links, and what to do otherwise. */
export interface LinkAnswer {
  mail: "ON" | "OFF";
  message: string;
}

/** The signed-in person, and the person's projects. */
export function sessionQuery(queries: QueryClient) {
  return queryOptions({
    queryKey: sessionKey,
    async queryFn() {
      const before = queries.getQueryData<SignedIn>(sessionKey);
      const me = await ask<SignedIn>("GET", "/console/me");
      // Another person has signed in, perhaps in another tab, and must see nothing that was read for the first one.
      if (before !== undefined && before.person.id !== me.person.id) forgetAllBut(queries, sessionKey);
      return me;
    },
    staleTime: 60_000,
  });
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

/** A browser in which the person is signed in. */
export interface Session {
  id: string;
  isCurrent: boolean;
  method: "link" | "code" | "passkey" | "access";
  userAgent: string | null;
  createdAt: string;
  /** Accurate to the hour. */
  lastSeenAt: string;
}

export async function listSessions(): Promise<Session[]> {
  return (await ask<{ data: Session[] }>("GET", "/console/sessions")).data;
}

export function endSession(id: string): Promise<void> {
  return ask("DELETE", `/console/sessions/${encodeURIComponent(id)}`);
}

export function endOtherSessions(): Promise<void> {
  return ask("DELETE", "/console/sessions");
}
