import { Badge } from "../../parts/badge";
import { Refused } from "../../parts/states";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import type { SaveState } from "./kept";

interface SavedWordProps {
  state: SaveState;
  isCopied: boolean;
  /** When the service last changed it. */
  at: string;
}

/** Shows at all times where the draft is stored. */
export function SavedWord({ state, isCopied, at }: SavedWordProps) {
  const { words } = useWords();
  const own = words.campaignEdit.state;
  const isKept = isCopied ? own.kept : own.notKept;
  switch (state.is) {
    case "saved":
      return (
        <span role="status">
          {own.saved} <Time at={at} isShort />
        </span>
      );
    case "typed":
    case "saving":
      return <span role="status">{own.saving}</span>;
    case "offline":
      return (
        <span role="status">
          <Badge tone={isCopied ? "warn" : "alarm"}>{own.offline}</Badge> {isKept}
        </span>
      );
    case "held":
      return (
        <span role="status">
          <Badge tone="warn">{own.held}</Badge> {isKept}
        </span>
      );
    case "conflict":
      return (
        <span role="status">
          <Badge tone="warn">{own.conflict}</Badge>
        </span>
      );
    case "refused":
      return (
        <>
          <span role="status">
            <Badge tone="alarm">{own.refused}</Badge> {isKept}
          </span>
          <Refused error={state.error} />
        </>
      );
  }
}
