import { NoPasskey } from "../api/passkeys";
import { useWords } from "../words/words";
import { Refused } from "./states";

/** Says why a passkey was of no use: its user said no, which is no fault, or the service refused it. */
export function PasskeyFault({ error }: { error: unknown }) {
  const { words } = useWords();
  if (!(error instanceof NoPasskey)) return <Refused error={error} />;
  return (
    <p role="alert" className="text-quiet">
      {words.signIns[error.reason]}
    </p>
  );
}
