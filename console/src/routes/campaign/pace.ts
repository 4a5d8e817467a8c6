import { useEffect, useState } from "react";

interface Reading {
  at: number;
  done: number;
}

/**
 * The pace is that of the last minute. A pause within it would make the pace too small, so a hold restarts the
 * measurement.
 */
const windowMs = 60_000;
const leastMs = 3_000;

/** Returns how many are done per second, as observed by this page. Null until two readings are far enough apart. */
export function usePace(done: number, at: number, isMoving: boolean): number | null {
  const [readings, setReadings] = useState<Reading[]>([]);
  useEffect(() => {
    setReadings((before) => (isMoving ? [...before.filter((one) => at - one.at < windowMs), { at, done }] : []));
  }, [done, at, isMoving]);
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < leastMs) return null;
  return ((last.done - first.done) * 1000) / (last.at - first.at);
}
