import { PetrelError } from "petrel-client";
import { useEffect, useState } from "react";
import { offerPasskeys } from "../../api/passkeys";

/** Before the challenge of an offer expires, it is made anew. */
const offerMs = 4 * 60_000;

/** Has the browser offer passkeys in the field of the address, while no other request for one is under way. */
export function useOfferedPasskeys(onSignedIn: () => void, isPaused: boolean): { error: unknown } {
  const [turn, setTurn] = useState(0);
  const [error, setError] = useState<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn offers anew, and what follows a sign-in is the same
  useEffect(() => {
    if (isPaused) return;
    const stop = new AbortController();
    offerPasskeys(stop.signal).then(
      (isSignedIn) => isSignedIn && onSignedIn(),
      (fault: unknown) => {
        // A fault of an offer that was not asked for is not shown: the button shows its own.
        if (fault instanceof PetrelError) setError(fault);
      },
    );
    const timer = setTimeout(() => setTurn(turn + 1), offerMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [isPaused, turn]);
  return { error };
}
