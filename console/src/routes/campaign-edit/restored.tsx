import { Button } from "../../parts/button";
import { Notice } from "../../parts/notice";
import { useWords } from "../../words/words";
import type { Keeper, Kept } from "./keeper";
import { useFasterWords } from "./use-faster-words";

/** What happened to the draft without the hand of its writer. */
export function Restored({ kept, keeper }: { kept: Kept; keeper: Keeper }) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const say = useFasterWords();
  const { isRestored, merged, aside } = kept;
  return (
    <>
      {isRestored && <Notice>{own.restored}</Notice>}
      {merged && (
        <Notice>
          {say(merged.faster)} {own.merged(merged.fields.map((field) => own.fields[field]).join(", "))}
        </Notice>
      )}
      {aside && (
        <Notice>
          <span>{own.aside}</span>
          <Button onClick={() => keeper.bringBack()}>{own.bringBack}</Button>
        </Notice>
      )}
    </>
  );
}
