import { useState } from "react";
import { useRows } from "../../../api/pages";
import { useProject } from "../../../api/project";
import { useMay } from "../../../api/rights";
import { Amount } from "../../../parts/amount";
import { Button } from "../../../parts/button";
import { Empty, Loading, OnlyReading, Refused } from "../../../parts/states";
import { useWords } from "../../../words/words";
import { SettingsFrame } from "../frame";
import { OneTopic } from "./one-topic";
import { TopicDialog } from "./topic-dialog";

export const topicsOf = (project: string) => [project, "topics"];

/** More than the topics of any project. */
const all = 100;

/** Lists the kinds of mail that people can leave one by one. */
export function TopicsPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const may = useMay();
  const [isAdding, setAdding] = useState(false);
  const { rows, total, isLoading, error, reload } = useRows(topicsOf(project), (_, signal) =>
    petrel.topics.list({ limit: all }, { signal }),
  );
  const texts = words.settings.topics;
  return (
    <SettingsFrame part="topics" aside={total !== undefined && <Amount of={total} />}>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="min-w-48 flex-1 text-quiet">{texts.seen}</p>
        {may("topics.create") ? (
          <Button kind="main" onClick={() => setAdding(true)}>
            {words.settings.actions.topics}
          </Button>
        ) : (
          <OnlyReading />
        )}
      </div>
      {isAdding && <TopicDialog topic={null} onClose={() => setAdding(false)} />}
      {error !== null && <Refused error={error} retry={reload} />}
      {isLoading && <Loading />}
      {!isLoading && error === null && (
        <div className="sheet">
          {rows.length === 0 && <Empty title={texts.none}>{texts.noneAdvice}</Empty>}
          <ul>
            {rows.map((topic) => (
              <OneTopic key={topic.id} topic={topic} />
            ))}
          </ul>
        </div>
      )}
    </SettingsFrame>
  );
}
