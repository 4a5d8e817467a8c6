import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { sessionKey } from "../../api/queries";
import { askForLink, typeCode } from "../../api/session";
import { Button } from "../../parts/button";
import { TextField } from "../../parts/field";
import { Page } from "../../parts/page";
import { Refused } from "../../parts/states";
import { useWords } from "../../words/words";

/** An address gets a mail, and the code of the mail opens a session in this browser. */
export function SignIn() {
  const { words } = useWords();
  const [email, setEmail] = useState("");
  const queries = useQueryClient();
  const link = useMutation({ mutationFn: askForLink });
  const code = useMutation({
    mutationFn: typeCode,
    onSuccess: () => queries.resetQueries({ queryKey: sessionKey }),
  });

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    link.mutate(email);
  }

  function enter(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("code");
    if (typeof typed === "string") code.mutate(typed.trim());
  }

  return (
    <Page title={words.signIn.title}>
      <div className="sheet max-w-md p-6">
        {link.data?.mail === "ON" ? (
          <form onSubmit={enter} className="grid gap-4">
            <p>{words.signIn.sent(email)}</p>
            <TextField label={words.signIn.code} name="code" required autoComplete="one-time-code" spellCheck={false} />
            {code.error && <Refused error={code.error} />}
            <div className="flex flex-wrap gap-2">
              <Button type="submit" kind="main" isBusy={code.isPending}>
                {words.signIn.enter}
              </Button>
              <Button kind="quiet" onClick={() => link.reset()}>
                {words.signIn.other}
              </Button>
            </div>
          </form>
        ) : (
          <form onSubmit={send} className="grid gap-4">
            <TextField
              label={words.signIn.email}
              type="email"
              name="email"
              required
              autoComplete="username"
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
      </div>
    </Page>
  );
}
