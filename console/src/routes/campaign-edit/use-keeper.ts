import { useQueryClient } from "@tanstack/react-query";
import type { Campaign } from "petrel-client";
import { AuthenticationError } from "petrel-client";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useProject } from "../../api/project";
import { sessionKey } from "../../api/queries";
import { useMe } from "../../shell/root";
import type { Draft } from "./draft";
import { Keeper } from "./keeper";
import type { Kept } from "./kept";
import { LocalCopy } from "./local-copy";

/** Returns the draft of a campaign on this page, and its keeper. */
export function useKeeper(campaign: Campaign): Kept & { keeper: Keeper } {
  const { id: project, petrel } = useProject();
  const { person } = useMe();
  const queries = useQueryClient();
  const [keeper] = useState(() => {
    const keep = (saved: Campaign) => queries.setQueryData([project, "campaign", saved.id], saved);
    return new Keeper(petrel, new LocalCopy<Draft>(person.id, campaign.id), campaign, keep);
  });
  const kept = useSyncExternalStore(keeper.subscribe, keeper.snapshot);
  useEffect(() => keeper.hear(campaign), [keeper, campaign]);

  const { state, isCopied } = kept;
  const isOver = state.is === "refused" && state.error instanceof AuthenticationError;
  useEffect(() => {
    // The first page asks to sign in; the typed text waits in the browser.
    if (isOver) void queries.invalidateQueries({ queryKey: sessionKey });
  }, [isOver, queries]);

  const wouldLose = state.is !== "saved" && !isCopied;
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    if (wouldLose) window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [wouldLose]);
  return { ...kept, keeper };
}
