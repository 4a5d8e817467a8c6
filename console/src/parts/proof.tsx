import { PetrelError } from "petrel-client";
import { type ComponentType, createContext, type ReactNode, useCallback, useContext, useEffect, useState } from "react";
import { loadPart } from "../api/load-part";
import { withPageWords } from "../words/shown";
import type { ProofDialogProps } from "./proof-dialog";

type Attempt = <Result>(run: () => PromiseLike<Result>) => Promise<Result>;

interface Asked extends Pick<ProofDialogProps, "answer"> {
  ProofDialog: ComponentType<ProofDialogProps>;
}

/** The page is painted first. */
const restMs = 100;

const loadDialog = withPageWords(() => import("./proof-dialog"));

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
  const [asked, setAsked] = useState<Asked | null>(null);
  useEffect(() => {
    // It is there when a form asks for it, also after a deploy. If not, it is loaded then.
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
