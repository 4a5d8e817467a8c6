import { useQuery } from "@tanstack/react-query";
import type { ActivityVersion } from "petrel-client";
import { useEffect, useRef } from "react";
import { useProject } from "./project";

/**
 * Checks whether mail or events have arrived, while the page is visible, and calls `moved` when there are any. The
 * service answers from memory, so a page reads its rows again only when something is new. `false` turns the check off.
 */
export function useMovement(everyMs: number | false, moved?: () => void): ActivityVersion | undefined {
  const { id: project, petrel } = useProject();
  const { data } = useQuery({
    queryKey: [project, "version"],
    enabled: everyMs !== false,
    refetchInterval: everyMs,
    queryFn: ({ signal }) => petrel.activity.getVersion({ signal }),
  });
  const version = data?.version;
  const seen = useRef<string>(undefined);
  const tell = useRef(moved);
  useEffect(() => {
    tell.current = moved;
  });
  useEffect(() => {
    if (version === undefined || version === seen.current) return;
    // The rows may have been read before the first version as well.
    tell.current?.();
    seen.current = version;
  }, [version]);
  return data;
}
