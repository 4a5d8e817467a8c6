import { useMutation, useQueryClient } from "@tanstack/react-query";
import KeyRound from "lucide-react/icons/key-round";
import { type SubmitEvent, useState } from "react";
import { hasPasskeys, signInByPasskey } from "../../api/passkeys";
import { sessionKey } from "../../api/queries";
import { askForLink } from "../../api/session";
import { Button, buttonLook } from "../../parts/button";
import { CodeForm } from "../../parts/code-form";
import { TextField } from "../../parts/field";
import { Page } from "../../parts/page";
import { PasskeyFault } from "../../parts/passkey-fault";
import { Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { useOfferedPasskeys } from "./offered-passkeys";

interface SignInProps {
  /** The path of the sign-in by Cloudflare Access; null when Access does not protect the console. */
  access: string | null;
}

/**
 * Signs in. A passkey works at once. Otherwise an address gets an email, and the mail's code opens a session in this
 * browser.
 */
export function SignIn({ access }: SignInProps) {
  const { words } = useWords();
  const [email, setEmail] = useState("");
  const queries = useQueryClient();
  const enter = () => void queries.resetQueries({ queryKey: sessionKey });
  const link = useMutation({ mutationFn: askForLink });
  const passkey = useMutation({ mutationFn: () => signInByPasskey(), onSuccess: enter });
  const offered = useOfferedPasskeys(enter, passkey.isPending);
  const fault = passkey.error ?? offered.error;

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    link.mutate(email);
  }

  return (
    <Page title={words.signIn.title} isNarrow>
      <div className="sheet p-6">
        {link.data?.mail === "ON" ? (
          <CodeForm email={email} action={words.signIn.enter} onSignedIn={enter}>
            <Button kind="quiet" onClick={() => link.reset()}>
              {words.signIn.other}
            </Button>
          </CodeForm>
        ) : (
          <form onSubmit={send} className="grid gap-4">
            <TextField
              label={words.signIn.email}
              type="email"
              name="email"
              required
              autoComplete="username webauthn"
              value={email}
              onChange={({ target }) => setEmail(target.value)}
            />
            {link.data?.mail === "OFF" && <p role="alert">{link.data.message}</p>}
            {link.error && <Refused error={link.error} />}
            <Button type="submit" kind="main" isBusy={link.isPending}>
              {words.signIn.send}
            </Button>
          </form>
        )}
        {(hasPasskeys || access !== null) && (
          <div className="mt-4 grid gap-4">
            <p className="flex items-center gap-3 text-small text-quiet before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
              {words.signIns.or}
            </p>
            {access !== null && (
              <a
                href={`${access}?to=${encodeURIComponent(location.pathname + location.search)}`}
                className={buttonLook("plain")}
              >
                {words.signIns.byAccess}
              </a>
            )}
            {hasPasskeys && (
              <Button isBusy={passkey.isPending} onClick={() => passkey.mutate()}>
                <KeyRound size={16} aria-hidden />
                {words.signIns.byPasskey}
              </Button>
            )}
            {fault !== null && <PasskeyFault error={fault} />}
          </div>
        )}
      </div>
    </Page>
  );
}
