import type { KeyKind } from "../core/keys";
import { type Log, reasonOf } from "./log";
import type { NamedObjects } from "./objects";
import type { Admission, Admitted, Answered, ProjectGateObject } from "./project-gate-object";

/**
 * A project's gate, as the middleware uses it. Every method returns null, or nothing, when the object is out of reach.
 */
export interface Gate {
  admit(projectId: string, admission: AskedAdmission): Promise<Admitted | null>;
  complete(projectId: string, key: OwnedKey, answered: Answered): Promise<void>;
  release(projectId: string, key: OwnedKey): Promise<void>;
  /** Erases a project. Throws when the object is out of reach, because an erasure must be complete. */
  erase(projectId: string): Promise<void>;
}

/** An admission whose key also says which kind of callers it belongs to. */
interface AskedAdmission extends Admission {
  key: (NonNullable<Admission["key"]> & OwnedKey) | null;
}

/**
 * An idempotency key of one kind of callers, and the request that claimed it. Another request may take the claim over.
 */
export interface OwnedKey {
  kind: KeyKind;
  key: string;
  owner: string;
}

const tries = 2;
/** The object may be on another continent, or just starting. */
const patienceMs = 2_000;

export function openGate(objects: NamedObjects<ProjectGateObject>, log: Log): Gate {
  // A stub stays broken after one failure, so each try gets a new one.
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
    admit: (projectId, { buckets, key }) =>
      reach("admit", async () => gateOf(projectId).admit({ buckets, key: key && { ...key, key: nameOf(key) } })),
    async complete(projectId, owned, answered) {
      await reach("complete", async () => gateOf(projectId).complete(nameOf(owned), owned.owner, answered));
    },
    async release(projectId, owned) {
      await reach("release", async () => gateOf(projectId).release(nameOf(owned), owned.owner));
    },
    erase: (projectId) => gateOf(projectId).erase(),
  };
}

/** Keeps keys of browsers and of servers apart. */
function nameOf({ kind, key }: OwnedKey): string {
  return `${kind}:${key}`;
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
