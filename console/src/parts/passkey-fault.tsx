import { NoPasskey } from "../api/passkeys";
import { useWords } from "../words/words";
import { Refused } from "./states";

/** Explains why a passkey did not work: its user cancelled, which is not an error, or the service refused it. */
export function PasskeyFault({ error }: { error: unknown }) {
  const { words } = useWords();
  if (!(error instanceof NoPasskey)) return <Refused error={error} />;
  return (
    <p role="alert" className="text-quiet">
      {words.signIns[error.reason]}
    </p>
  );
}
