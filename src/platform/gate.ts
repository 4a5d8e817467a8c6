import type { CallerKind } from "../core/keys";
import { type Log, reasonOf } from "./log";
import type { NamedObjects } from "./objects";
import type { Admission, Admitted, Answered, ProjectGateObject } from "./project-gate-object";

/**
 * The gate of a project, as the middleware uses it. One object holds the project's rate-limit buckets. Sixteen objects
 * share the project's idempotency keys, because two calls and two writes for each key are too much for one object. When
 * an object does not answer, a method returns null or nothing.
 */
export interface Gate {
  /**
   * Takes tokens and claims the key at the same time. The rate limit fails open: when its object does not answer, the
   * rate is null. If a request that exceeds its rate has claimed a key, the key is released before the answer.
   */
  admit(projectId: string, admission: OwnedAdmission): Promise<Admitted | null>;
  complete(projectId: string, key: OwnedKey, answered: Answered): Promise<void>;
  release(projectId: string, key: OwnedKey): Promise<void>;
  /** Erases a project. Throws when the object does not answer, because an erasure must be complete. */
  erase(projectId: string): Promise<void>;
}

/** An admission whose key also names the kind of caller to which it belongs. */
interface OwnedAdmission extends Admission {
  key: (NonNullable<Admission["key"]> & OwnedKey) | null;
}

/**
 * An idempotency key of one kind of caller, and the request that claimed it. Another request may take over the claim.
 */
export interface OwnedKey {
  kind: CallerKind;
  key: string;
  owner: string;
}

const tries = 2;
/** The longest wait for an object, which may be on another continent, or just starting. */
const patienceMs = 2_000;

export function openGate(objects: NamedObjects<ProjectGateObject>, log: Log): Gate {
  // A stub stays broken after one failure, so each attempt creates a new one.
  const named = (name: string) => objects.get(objects.idFromName(name));
  const ofBuckets = named;
  const ofKey = (projectId: string, key: OwnedKey) => named(keeperOf(projectId, key));
  async function reach<T>(what: string, call: () => Promise<T>): Promise<T | null> {
    for (let attempt = 1; attempt <= tries; attempt++) {
      try {
        return await inTime(call());
      } catch (error) {
        log("warn", "A project's gate does not answer", { what, attempt, reason: reasonOf(error) });
      }
    }
    return null;
  }
  async function release(projectId: string, owned: OwnedKey): Promise<void> {
    await reach("release", async () => ofKey(projectId, owned).release(nameOf(owned), owned.owner));
  }
  return {
    async admit(projectId, { buckets, key }) {
      const [rated, claimed] = await Promise.all([
        buckets.length === 0 ? null : reach("admit", async () => ofBuckets(projectId).admit({ buckets, key: null })),
        key === null
          ? null
          : reach("claim", async () => ofKey(projectId, key).admit({ buckets: [], key: { ...key, key: nameOf(key) } })),
      ]);
      const rate = rated?.rate ?? null;
      if (rate?.isAllowed === false) {
        if (key && claimed?.claim?.kind !== "taken") await release(projectId, key);
        return { rate, claim: null };
      }
      if (key === null) return rated;
      return claimed && { rate, claim: claimed.claim };
    },
    async complete(projectId, owned, answered) {
      await reach("complete", async () => ofKey(projectId, owned).complete(nameOf(owned), owned.owner, answered));
    },
    release,
    async erase(projectId) {
      const keepers = Array.from({ length: keepersPerProject }, (_, index) => keeperAt(projectId, index));
      await Promise.all([projectId, ...keepers].map((name) => named(name).erase()));
    },
  };
}

const keepersPerProject = 16;

/**
 * Returns the name of the object that stores a key. The mapping must never change: otherwise stored keys would not be
 * found.
 */
export function keeperOf(projectId: string, key: Pick<OwnedKey, "kind" | "key">): string {
  let hash = 0;
  for (const letter of nameOf(key)) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  return keeperAt(projectId, hash % keepersPerProject);
}

function keeperAt(projectId: string, index: number): string {
  return `${projectId}/${index}`;
}

/**
 * Returns the name under which a key is stored. It begins with the kind of caller, so callers of different kinds never
 * share a key.
 */
function nameOf({ kind, key }: Pick<OwnedKey, "kind" | "key">): string {
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
