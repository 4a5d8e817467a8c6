import { useMutation } from "@tanstack/react-query";
import type { ReactNode, SubmitEvent } from "react";
import { typeCode } from "../api/session";
import { useWords } from "../words/words";
import { Button } from "./button";
import { TextField } from "./field";
import { Refused } from "./states";

interface CodeFormProps {
  email: string;
  /** The label of the button. */
  action: string;
  onSignedIn(): void;
  /** Other buttons. */
  children?: ReactNode;
}

/** Asks for the code of an email that was sent to an address. */
export function CodeForm({ email, action, onSignedIn, children }: CodeFormProps) {
  const { words } = useWords();
  const code = useMutation({ mutationFn: typeCode, onSuccess: onSignedIn });

  function enter(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("code");
    if (typeof typed === "string") code.mutate(typed.trim());
  }

  return (
    <form onSubmit={enter} className="grid gap-4">
      <p>{words.signIn.sent(email)}</p>
      <TextField label={words.signIn.code} name="code" required autoComplete="one-time-code" spellCheck={false} />
      {code.error && <Refused error={code.error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" kind="main" isBusy={code.isPending}>
          {action}
        </Button>
        {children}
      </div>
    </form>
  );
}
