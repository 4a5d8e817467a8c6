import { env } from "cloudflare:workers";
import { newId, textOf } from "../../src/core/ids";
import { hashKey, randomHex } from "../../src/core/keys";
import type { ProjectRole } from "../../src/core/people/role";
import { forgetVisitors } from "../../src/engine/people/cache";
import { type Answer, call, type TestProject } from "./project";

interface Membership {
  role: ProjectRole;
  maySend?: boolean;
  seesPersonalData?: boolean;
}

export interface TestVisitor {
  personId: string;
  email: string;
  /** What a page of ours sends with each call, in this project if one is given. */
  headers(project?: TestProject): Record<string, string>;
  /** Calls as a page of ours does. */
  call(method: string, path: string, body?: unknown, project?: TestProject): Promise<Answer>;
}

/** The origin of the pages of the tests' Worker. */
export const ourOrigin = "https://petrel.example";

let counter = 0;

/** Somebody who is signed in: an owner, or a member of one project. `provedAgo` is in milliseconds. */
export async function signedIn(
  of: "owner" | { project: TestProject; as: Membership } | null,
  provedAgo = 0,
): Promise<TestVisitor> {
  const now = Date.now();
  const [personId, sessionId, token] = [textOf(newId()), textOf(newId()), randomHex(32)];
  const email = `person${++counter}-${personId.toLowerCase().slice(-6)}@example.com`;
  const insert = (sql: string, ...values: unknown[]) => env.DB.prepare(sql).bind(...values);
  await env.DB.batch([
    insert(
      "INSERT INTO people (id, email, is_owner, created_at) VALUES (?, ?, ?, ?)",
      personId,
      email,
      of === "owner" ? 1 : 0,
      now,
    ),
    insert(
      `INSERT INTO sessions (id, hash, person_id, method, opened_by, created_at, seen_at, expires_at)
        VALUES (?, ?, ?, 'code', ?, ?, ?, ?)`,
      ...[sessionId, await hashKey(token), personId, sessionId, now - provedAgo, now, now + 86_400_000],
    ),
  ]);
  if (of !== null && of !== "owner") {
    const { role, maySend = true, seesPersonalData = true } = of.as;
    await insert(
      `INSERT INTO memberships (person_id, project_id, role, may_send, sees_personal_data, created_at)
        VALUES (?, ?, ?, ?, ?, ?)`,
      ...[personId, of.project.number, role, maySend ? 1 : 0, seesPersonalData ? 1 : 0, now],
    ).run();
  }
  forgetVisitors();
  const headers = (project?: TestProject) => ({
    Cookie: `__Host-petrel=${token}`,
    Origin: ourOrigin,
    ...(project ? { "Petrel-Project": project.id } : {}),
  });
  return {
    ...{ personId, email, headers },
    call: (method, path, body, project) => call(method, path, body, { headers: headers(project) }),
  };
}

/** The value of a cookie that an answer sets, as a browser sends it back. */
export function cookieOf({ headers }: Answer, name: string): string {
  const set = headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`));
  return set?.split(";")[0] ?? "";
}
