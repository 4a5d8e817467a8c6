import { useMutation } from "@tanstack/react-query";
import type { ImportPlan } from "petrel-client";
import { type ReactNode, type SubmitEvent, useState } from "react";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button } from "../../parts/button";
import { CheckField } from "../../parts/field";
import { Page } from "../../parts/page";
import { OnlyReading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { Plan } from "./plan";
import { Progress } from "./progress";
import { type Options, useUpload } from "./upload";

/** Imports people from a CSV file: uploads it in parts, shows what the import would do, and then its progress. */
export function ImportPage() {
  const { words } = useWords();
  const may = useMay();
  const [jobId, setJobId] = useState<string | null>(null);
  const texts = words.people.import;
  return (
    <Page title={texts.title}>
      <div className="sheet grid max-w-3xl gap-4 p-4">
        {!may("contacts.beginImport") ? (
          <OnlyReading />
        ) : jobId === null ? (
          <Upload begun={setJobId} />
        ) : (
          <Progress jobId={jobId} restart={() => setJobId(null)} />
        )}
      </div>
    </Page>
  );
}

function Upload({ begun }: { begun(jobId: string): void }) {
  const { words, locale } = useWords();
  const { petrel } = useProject();
  const { state, begin, again, cancel, leave } = useUpload(petrel);
  const texts = words.people.import;
  const cancelling = (
    <Button kind="quiet" onClick={cancel}>
      {texts.cancel}
    </Button>
  );
  if (state.stage === "none") return <Choose choose={begin} />;
  if (state.stage === "ready") {
    return <Ready id={state.id} plan={state.plan} begun={begun} leave={leave} cancelling={cancelling} />;
  }
  return (
    <>
      <p role="status" className="flex flex-wrap items-center gap-3">
        <progress max={state.of} value={state.sent} aria-label={texts.uploading} className="h-1.5 w-40 accent-main" />
        {texts.uploading} · {new Intl.NumberFormat(locale, { style: "percent" }).format(state.sent / state.of)}
      </p>
      {state.stage === "failed" && <Refused error={state.error} />}
      <div className="flex gap-2">
        {state.stage === "failed" && (
          <Button kind="main" onClick={again}>
            {texts.again}
          </Button>
        )}
        {cancelling}
      </div>
    </>
  );
}

function Choose({ choose }: { choose(file: File, options: Options): void }) {
  const { words } = useWords();
  const texts = words.people.import;

  function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const file = form.get("file");
    if (file instanceof File && file.size > 0) choose(file, form.has("subscribed") ? { subscribed: "column" } : {});
  }

  return (
    <form onSubmit={send} className="grid gap-4">
      <p className="text-quiet">{texts.lead}</p>
      <label className="block min-w-0">
        <span className="mb-1 block text-small text-quiet">{texts.file}</span>
        <input type="file" name="file" accept=".csv,text/csv" required className="field py-1.5" />
      </label>
      <div>
        <CheckField label={texts.subscribed} name="subscribed" />
        <p className="text-small text-quiet">{texts.subscribedLead}</p>
      </div>
      <div>
        <Button type="submit" kind="main">
          {texts.upload}
        </Button>
      </div>
    </form>
  );
}

interface ReadyProps {
  id: string;
  plan: ImportPlan;
  begun(jobId: string): void;
  leave(): void;
  cancelling: ReactNode;
}

function Ready({ id, plan, begun, leave, cancelling }: ReadyProps) {
  const { words } = useWords();
  const { petrel } = useProject();
  const start = useMutation({
    mutationFn: async () => petrel.contacts.completeImport(id),
    onSuccess({ jobId }) {
      leave();
      begun(jobId);
    },
  });
  return (
    <>
      <Plan plan={plan} />
      {start.error && <Refused error={start.error} />}
      <div className="flex gap-2">
        <Button kind="main" isBusy={start.isPending} onClick={() => start.mutate()}>
          {words.people.import.start}
        </Button>
        {!start.isPending && cancelling}
      </div>
    </>
  );
}
