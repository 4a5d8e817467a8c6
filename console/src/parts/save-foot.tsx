import { useWords } from "../words/words";
import { Button } from "./button";
import { Refused } from "./states";

interface Saving {
  error: unknown;
  isPending: boolean;
}

/** Ends a form that saves: shows why the last attempt was refused, and the two buttons. */
export function SaveFoot({ save, onCancel }: { save: Saving; onCancel: () => void }) {
  const { words } = useWords();
  return (
    <>
      {save.error != null && <Refused error={save.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button type="submit" kind="main" isBusy={save.isPending}>
          {words.save}
        </Button>
      </div>
    </>
  );
}
