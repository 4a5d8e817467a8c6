import { Page } from "../../parts/page";
import { useWords } from "../../words/words";
import { Passkeys } from "./passkeys";
import { Sessions } from "./sessions";

/** Shows how the person signs in: the passkeys, and the browsers in which the person is signed in. */
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
