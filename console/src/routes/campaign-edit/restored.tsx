import { Button } from "../../parts/button";
import { Notice } from "../../parts/notice";
import { useWords } from "../../words/words";
import type { Keeper } from "./keeper";
import type { Kept } from "./kept";
import { useFasterWords } from "./use-faster-words";

/** Shows changes to the draft that its writer did not make. */
export function Restored({ kept, keeper }: { kept: Kept; keeper: Keeper }) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const say = useFasterWords();
  const { isRestored, merged, aside } = kept;
  if (!isRestored && merged === null && aside === null) return null;
  return (
    <Notice>
      <div className="min-w-48 flex-1">
        {isRestored && <p>{own.restored}</p>}
        {merged && (
          <p>
            {say(merged.faster)} {own.merged(merged.fields.map((field) => own.fields[field]).join(", "))}
          </p>
        )}
        {aside && <p>{own.aside}</p>}
      </div>
      {aside && <Button onClick={() => keeper.bringBack()}>{own.bringBack}</Button>}
      <Button kind="quiet" onClick={() => keeper.dismiss()}>
        {own.close}
      </Button>
    </Notice>
  );
}
