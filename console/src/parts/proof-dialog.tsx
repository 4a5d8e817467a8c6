import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { hasPasskeys, listPasskeys, passkeysKey, signInByPasskey } from "../api/passkeys";
import { sessionKey } from "../api/queries";
import { askForLink } from "../api/session";
import { useWords } from "../words/words";
import { Button } from "./button";
import { CodeForm } from "./code-form";
import { Dialog } from "./dialog";
import { PasskeyFault } from "./passkey-fault";
import { Refused } from "./states";

export interface ProofDialogProps {
  email: string;
  answer(isProved: boolean): void;
}

/** Asks a signed-in person for a passkey, or for the code of an email. */
export function ProofDialog({ email, answer }: ProofDialogProps) {
  const { words } = useWords();
  const queries = useQueryClient();
  const passkeys = useQuery({ queryKey: passkeysKey, queryFn: listPasskeys, enabled: hasPasskeys });
  const onSignedIn = () => {
    void queries.invalidateQueries({ queryKey: sessionKey });
    answer(true);
  };
  const passkey = useMutation({ mutationFn: signInByPasskey, onSuccess: onSignedIn });
  const link = useMutation({ mutationFn: () => askForLink(email) });
  const own = passkeys.data ?? [];

  return (
    <Dialog title={words.signIns.proof} onClose={() => answer(false)}>
      <p className="mt-2 mb-4 text-quiet">{words.signIns.proofLead}</p>
      {link.data?.mail === "ON" ? (
        <CodeForm email={email} action={words.signIns.proofDone} onSignedIn={onSignedIn}>
          <Button kind="quiet" onClick={() => answer(false)}>
            {words.cancel}
          </Button>
        </CodeForm>
      ) : (
        <div className="grid gap-3">
          {own.length > 0 && (
            <Button kind="main" isBusy={passkey.isPending} onClick={() => passkey.mutate(own)}>
              {words.signIns.proofPasskey}
            </Button>
          )}
          {passkey.error && <PasskeyFault error={passkey.error} />}
          <Button isBusy={link.isPending || passkeys.isLoading} onClick={() => link.mutate()}>
            <span className="truncate">{words.signIns.proofMail(email)}</span>
          </Button>
          {link.data && <p role="alert">{link.data.message}</p>}
          {link.error && <Refused error={link.error} />}
          <Button kind="quiet" onClick={() => answer(false)}>
            {words.cancel}
          </Button>
        </div>
      )}
    </Dialog>
  );
}
