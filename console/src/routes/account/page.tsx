import { Page } from "../../parts/page";
import { useWords } from "../../words/words";
import { Passkeys } from "./passkeys";
import { Sessions } from "./sessions";

/** How the person signs in: their passkeys, and the browsers in which they are signed in. */
export function AccountPage() {
  const { words } = useWords();
  return (
    <Page title={words.shell.account}>
      <div className="grid items-start gap-4 desk:grid-cols-2">
        <Passkeys />
        <Sessions />
      </div>
    </Page>
  );
}
