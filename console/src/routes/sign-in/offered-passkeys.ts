import { PetrelError } from "petrel-client";
import { useEffect, useState } from "react";
import { offerPasskeys } from "../../api/passkeys";

/** An offer is renewed before its challenge expires. */
const offerMs = 4 * 60_000;

/** Has the browser offer passkeys in the address field, while no other request for a passkey is under way. */
export function useOfferedPasskeys(onSignedIn: () => void, isPaused: boolean): { error: unknown } {
  const [turn, setTurn] = useState(0);
  const [error, setError] = useState<unknown>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn makes a new offer, and what follows a sign-in is the same
  useEffect(() => {
    if (isPaused) return;
    const stop = new AbortController();
    offerPasskeys(stop.signal).then(
      (isSignedIn) => isSignedIn && onSignedIn(),
      (fault: unknown) => {
        // The person did not request this offer, so its failure is not shown. The button shows its own failures.
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
