import { Link } from "@tanstack/react-router";
import type { Campaign } from "petrel-client";
import { lazy, Suspense, useState } from "react";
import { loadPart } from "../../api/load-part";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Page, Section } from "../../parts/page";
import { Loading } from "../../parts/states";
import { useWords } from "../../words/words";
import { Audience } from "./audience";
import { Canary } from "./canary";
import { Check } from "./check/check";
import { Scheduled } from "./check/scheduled";
import { useCheck } from "./check/use-check";
import { Conflict } from "./conflict";
import { Envelope } from "./envelope";
import { Preview } from "./preview/preview";
import { Restored } from "./restored";
import { SavedWord } from "./saved-word";
import { TestMail } from "./test-mail";
import { useKeeper } from "./use-keeper";
import { Variants } from "./variants";

const HtmlEditor = lazy(() => loadPart(() => import("./editor/html-editor")));

/** Shows an open campaign: its content, its audience, a preview, and sending. */
export function Writing({ campaign: read }: { campaign: Campaign }) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const { id: project } = useProject();
  const may = useMay();
  const writes = may("campaigns.replace");
  const kept = useKeeper(read);
  const { keeper, draft, campaign, state } = kept;
  const [shown, show] = useState<string | null>(null);
  const [asks, ask] = useState(false);
  const isAsking = asks && draft.audienceType !== "FILTERED";
  const check = useCheck(kept, keeper);
  // A scheduled campaign is the checked one, so it must be unscheduled before it is changed.
  const isReader = !writes || campaign.status === "SCHEDULED";
  return (
    <Page
      title={draft.name || own.untitled}
      aside={<SavedWord state={state} isCopied={kept.isCopied} at={campaign.updatedAt} />}
      actions={may("campaigns.test") && <TestMail keeper={keeper} campaign={campaign} variants={draft.variants} />}
    >
      <p className="-mt-3 mb-4 text-quiet">
        <Link to="/p/$project/campaigns" params={{ project }} className="link">
          {words.shell.campaigns}
        </Link>
      </p>
      {campaign.status === "SCHEDULED" && <Scheduled campaign={campaign} />}
      <div className="grid gap-4">
        {state.is === "conflict" && <Conflict key={state.theirs.version} draft={draft} state={state} keeper={keeper} />}
        {campaign.status === "DRAFT" && <Restored kept={kept} keeper={keeper} />}
        {!writes && <p className="text-quiet">{own.onlyReading}</p>}
        <fieldset disabled={isReader} className="grid min-w-0 gap-4 wide:grid-cols-2">
          <legend className="sr-only">{own.content}</legend>
          <div className="grid min-w-0 content-start gap-4">
            <Envelope draft={draft} change={(change) => keeper.change(change)} />
            <Variants draft={draft} change={(variants) => keeper.change({ variants })} />
          </div>
          <div className="grid min-w-0 content-start gap-4">
            <Audience draft={draft} change={(change) => keeper.change(change)} isAsking={isAsking} ask={ask} />
            <Canary canary={draft.canary} change={(canary) => keeper.change({ canary })} />
          </div>
        </fieldset>
        <div className="grid gap-4 wide:grid-cols-2">
          <Section title={own.body}>
            <Suspense fallback={<Loading rows={10} />}>
              <HtmlEditor
                label={own.body}
                value={draft.body}
                isReadOnly={isReader}
                change={(body) => keeper.change({ body })}
              />
            </Suspense>
          </Section>
          <Preview draft={draft} findings={check.findings} person={shown} show={show} />
        </div>
        {campaign.status === "DRAFT" && writes && (
          <Check check={check} campaign={campaign} keeper={keeper} show={show} isHeld={isAsking} />
        )}
      </div>
    </Page>
  );
}
