import { secondMs } from "../core/time";

const megabyte = 1024 * 1024;

/**
 * The maximum total size, in bytes, of the request bodies that one isolate holds while they arrive or wait for a memory
 * slot. An isolate has 128 MB. The limit of one project allows three sends of 10 MB as base64.
 */
const maxBytes = 56 * megabyte;
const maxBytesOfProject = 44 * megabyte;

/**
 * A body that has neither grown nor been released for this long belongs to a request that was cut off, because a live
 * request ends earlier.
 */
const goneAfterMs = 90 * secondMs;

interface Body {
  project: number;
  bytes: number;
  since: number;
}

const bodies = new Set<Body>();

export interface HeldBody {
  /**
   * Counts more bytes. Returns false when there is no memory for them. A body that is the only one in the isolate
   * always fits, and the only body of a project may exceed the project's limit.
   */
  grow(bytes: number): boolean;
  /** Releases the bytes. Called when the body has been processed or is gone. */
  release(): void;
}

/** Counts the bytes of a body while it arrives. A body that is announced but never sent costs nothing. */
export function holdBytes(project: number): HeldBody {
  const body: Body = { project, bytes: 0, since: Date.now() };
  bodies.add(body);
  return {
    grow(bytes) {
      body.since = Date.now();
      for (const other of bodies) if (body.since - other.since >= goneAfterMs) bodies.delete(other);
      const others = [...bodies].filter((other) => other !== body);
      const ofProject = others.filter((other) => other.project === project);
      const size = body.bytes + bytes;
      const fits =
        total(others) === 0 ||
        (total(others) + size <= maxBytes && (total(ofProject) === 0 || total(ofProject) + size <= maxBytesOfProject));
      if (fits) body.bytes = size;
      return fits;
    },
    release: () => bodies.delete(body),
  };
}

function total(of: Body[]): number {
  return of.reduce((sum, { bytes }) => sum + bytes, 0);
}
