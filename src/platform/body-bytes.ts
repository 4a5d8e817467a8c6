import { secondMs } from "../core/time";

const megabyte = 1024 * 1024;

/**
 * Bytes of bodies that one isolate keeps while they arrive or wait for a memory slot, of the 128 MB that it has; and those
 * of one project, which may be three sends of 10 MB as base64.
 */
const maxBytes = 56 * megabyte;
const maxBytesOfProject = 44 * megabyte;

/** A body that has not grown or gone for this long was cut off: requests end earlier. */
const goneAfterMs = 90 * secondMs;

interface Body {
  project: number;
  bytes: number;
  since: number;
}

const bodies = new Set<Body>();

export interface KeptBody {
  /** Counts more bytes; false when there is no memory for them. A project's only body always fits. */
  grow(bytes: number): boolean;
  /** Called when the body is worked on or gone. */
  letGo(): void;
}

/** Counts the bytes of a body that arrives. One that is announced but never sent costs nothing. */
export function keepBytes(project: number): KeptBody {
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
    letGo: () => bodies.delete(body),
  };
}

function total(of: Body[]): number {
  return of.reduce((sum, { bytes }) => sum + bytes, 0);
}
