import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { PetrelError } from "petrel-client";
import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { hasPasskeys, listPasskeys, passkeysKey, signInByPasskey } from "../api/passkeys";
import { sessionKey } from "../api/queries";
import { askForLink } from "../api/session";
import { useWords } from "../words/words";
import { Button } from "./button";
import { CodeForm } from "./code-form";
import { Dialog } from "./dialog";
import { PasskeyFault } from "./passkey-fault";
import { Refused } from "./states";

type Attempt = <Result>(run: () => PromiseLike<Result>) => Promise<Result>;

const ProofContext = createContext<Attempt | null>(null);

/**
 * Makes a call that may need a recent sign-in. When it does, a dialog asks for one, and the call is made again. A person who
 * closes the dialog gets the refusal of the call.
 */
export function useProof(): Attempt {
  const attempt = useContext(ProofContext);
  if (attempt === null) throw new Error("Only somebody who is signed in can prove it");
  return attempt;
}

export function ProofProvider({ email, children }: { email: string; children: ReactNode }) {
  const [answer, setAnswer] = useState<((isProved: boolean) => void) | null>(null);
  const attempt = useCallback<Attempt>(async (run) => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof PetrelError && error.code === "PROOF_NEEDED")) throw error;
      const isProved = await new Promise<boolean>((resolve) => setAnswer(() => resolve));
      setAnswer(null);
      if (!isProved) throw error;
      return run();
    }
  }, []);
  return (
    <ProofContext value={attempt}>
      {children}
      {answer && <ProofDialog email={email} answer={answer} />}
    </ProofContext>
  );
}

function ProofDialog({ email, answer }: { email: string; answer(isProved: boolean): void }) {
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
