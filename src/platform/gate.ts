import { type Log, reasonOf } from "./log";
import type { Admission, Admitted, Answered, ProjectGateObject } from "./project-gate-object";

/** One project's gate, as the door sees it. Every method answers null, or nothing, when the object is out of reach. */
export interface Gate {
  admit(projectId: string, admission: Admission): Promise<Admitted | null>;
  complete(projectId: string, key: OwnedKey, answered: Answered): Promise<void>;
  release(projectId: string, key: OwnedKey): Promise<void>;
  /** Forgets a project. Throws when the object is out of reach: what is erased must be gone. */
  erase(projectId: string): Promise<void>;
}

/** An idempotency key, and who claimed it: another request may have inherited it meanwhile. */
export interface OwnedKey {
  key: string;
  owner: string;
}

const tries = 2;
const patienceMs = 300;

export function openGate(objects: DurableObjectNamespace<ProjectGateObject>, log: Log): Gate {
  // A stub that failed once is broken for good: each try gets a fresh one.
  const gateOf = (projectId: string) => objects.get(objects.idFromName(projectId));
  async function reach<T>(what: string, call: () => Promise<T>): Promise<T | null> {
    for (let attempt = 1; attempt <= tries; attempt++) {
      try {
        return await inTime(call());
      } catch (error) {
        log("warn", "A project's gate is out of reach", { what, attempt, reason: reasonOf(error) });
      }
    }
    return null;
  }
  return {
    admit: (projectId, admission) => reach("admit", async () => gateOf(projectId).admit(admission)),
    async complete(projectId, { key, owner }, answered) {
      await reach("complete", async () => gateOf(projectId).complete(key, owner, answered));
    },
    async release(projectId, { key, owner }) {
      await reach("release", async () => gateOf(projectId).release(key, owner));
    },
    erase: (projectId) => gateOf(projectId).erase(),
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${patienceMs} ms`)), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
