import { PetrelError } from "petrel-client";
import { type ComponentType, createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import { loadPart } from "../api/load-part";
import { withPageWords } from "../words/shown";
import type { ProofDialogProps } from "./proof-dialog";

type Attempt = <Result>(run: () => PromiseLike<Result>) => Promise<Result>;

interface Asked extends Pick<ProofDialogProps, "answer"> {
  ProofDialog: ComponentType<ProofDialogProps>;
}

/** The dialog is loaded after the page is painted. */
const restMs = 100;

const loadDialog = withPageWords(() => import("./proof-dialog"));

const ProofContext = createContext<Attempt | null>(null);

/**
 * Makes a call that may need a recent sign-in. If it does, a dialog asks for one, and the call is repeated. A person
 * who closes the dialog gets the call's refusal.
 */
export function useProof(): Attempt {
  const attempt = useContext(ProofContext);
  if (attempt === null) throw new Error("Only somebody who is signed in can prove it");
  return attempt;
}

export function ProofProvider({ email, children }: { email: string; children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    // Loaded in advance, so that the dialog also works after a deploy. If that fails, it is loaded on demand.
    const timer = setTimeout(() => loadDialog().catch(() => undefined), restMs);
    return () => clearTimeout(timer);
  }, []);
  const attempt = useCallback<Attempt>(async (run) => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof PetrelError && error.code === "PROOF_NEEDED")) throw error;
      const { ProofDialog } = await loadPart(loadDialog);
      const isProved = await new Promise<boolean>((answer) => setAsked({ ProofDialog, answer }));
      setAsked(null);
      if (!isProved) throw error;
      return run();
    }
  }, []);
  return (
    <ProofContext value={attempt}>
      {children}
      {asked && <asked.ProofDialog email={email} answer={asked.answer} />}
    </ProofContext>
  );
}
