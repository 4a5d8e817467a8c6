import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useProject } from "../../../api/project";
import { Loading, Refused } from "../../../parts/states";
import { useWords } from "../../../words/words";
import { SettingsFrame } from "../frame";
import { Limits } from "./limits";
import { ProjectForm } from "./project-form";

export const settingsOf = (project: string) => [project, "settings"];

/** Edits how the project presents itself, what it tracks, and its limits. */
export function ProjectPage() {
  const { words } = useWords();
  const { id, petrel } = useProject();
  // Another version makes another form, which would not know of it.
  const [savedAt, setSavedAt] = useState<string | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: settingsOf(id),
    queryFn: ({ signal }) => petrel.admin.getProject(id, { signal }),
  });
  return (
    <SettingsFrame part="project">
      {error !== null && <Refused error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <Loading />}
      {data && (
        <div className="grid items-start gap-4 desk:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <ProjectForm
            key={data.updatedAt}
            project={data}
            isSaved={data.updatedAt === savedAt}
            saved={({ updatedAt }) => setSavedAt(updatedAt)}
          />
          <Limits project={data} />
        </div>
      )}
      <p className="mt-4 text-small text-quiet">
        {words.settings.project.id} <code className="font-mono">{id}</code>
      </p>
    </SettingsFrame>
  );
}
