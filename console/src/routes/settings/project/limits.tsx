import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Project } from "petrel-client";
import { useProject } from "../../../api/project";
import { Button } from "../../../parts/button";
import { Section } from "../../../parts/page";
import { Refused } from "../../../parts/states";
import { Time } from "../../../parts/time";
import { useWords } from "../../../words/words";
import { settingsOf } from "./page";

const megabyte = 1024 * 1024;

/** Shows the limits that an owner of the installation has set, and why marketing mail is paused. */
export function Limits({ project }: { project: Project }) {
  const { id, monthlySendLimit, sendRatePerSecond, maxStorageMb, sendingPaused } = project;
  const { words, number } = useWords();
  const { petrel, role } = useProject();
  const queries = useQueryClient();
  const texts = words.settings.project;
  const { data: usage } = useQuery({
    queryKey: [id, "usage"],
    queryFn: ({ signal }) => petrel.admin.getProjectUsage(id, { signal }),
  });
  const resume = useMutation({
    mutationFn: () => petrel.admin.updateProject(id, { sendingPaused: null }),
    onSuccess: (saved) => queries.setQueryData(settingsOf(id), saved),
  });
  const orNone = (limit: number | null) => (limit === null ? texts.noLimit : number(limit));
  const stored = usage === undefined ? "…" : number(Math.ceil(usage.totalBytes / megabyte));
  return (
    <Section title={texts.limits}>
      {sendingPaused && (
        <div role="alert" className="m-4 rounded-box bg-alarm-tint p-4 text-alarm">
          <p className="font-medium">{texts.paused}</p>
          <p>
            {sendingPaused.reason} <Time at={sendingPaused.at} />
          </p>
          {/* The document has roles of calls, and this is a field that only owners change. */}
          {role === "owner" && (
            <Button className="mt-3" isBusy={resume.isPending} onClick={() => resume.mutate()}>
              {texts.resume}
            </Button>
          )}
        </div>
      )}
      {resume.error && <Refused error={resume.error} />}
      <dl className="grid grid-cols-[auto_auto] gap-x-4 gap-y-2 p-4">
        <Line label={texts.monthly} text={orNone(monthlySendLimit)} />
        <Line label={texts.perSecond} text={orNone(sendRatePerSecond)} />
        <Line label={texts.storage} text={texts.of(stored, maxStorageMb === 0 ? "∞" : number(maxStorageMb))} />
      </dl>
    </Section>
  );
}

function Line({ label, text }: { label: string; text: string }) {
  return (
    <>
      <dt className="text-quiet">{label}</dt>
      <dd className="text-end tabular-nums">{text}</dd>
    </>
  );
}
