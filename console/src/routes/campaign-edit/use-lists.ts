import { useQuery } from "@tanstack/react-query";
import { useProject } from "../../api/project";

/** Reads the names that a campaign may use: segments, topics, and verified sender domains. */
export function useLists() {
  const { id: project, petrel } = useProject();
  const segments = useQuery({
    queryKey: [project, "segments"],
    queryFn: ({ signal }) => petrel.segments.list({ signal }),
  });
  const topics = useQuery({
    // The topics page caches them page by page, under a key that begins in the same way.
    queryKey: [project, "topics", "choice"],
    queryFn: async ({ signal }) => (await petrel.topics.list({ limit: 100 }, { signal })).data,
  });
  const domains = useQuery({
    queryKey: [project, "domains"],
    queryFn: ({ signal }) => petrel.domains.list({ signal }),
  });
  return {
    segments: segments.data ?? [],
    topics: topics.data ?? [],
    domains: (domains.data ?? []).filter(({ verified }) => verified).map(({ domain }) => domain),
    isLoading: segments.isPending || topics.isPending || domains.isPending,
  };
}
