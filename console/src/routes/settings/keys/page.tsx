import { useQuery } from "@tanstack/react-query";
import { useProject } from "../../../api/project";
import { Amount } from "../../../parts/amount";
import { Empty, Loading, Refused } from "../../../parts/states";
import { useWords } from "../../../words/words";
import { SettingsFrame } from "../frame";
import { MakeKey } from "./make-key";
import { keysOf, OneKey } from "./one-key";

/** Lists the keys with which programs call the API. */
export function KeysPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { data, error, refetch } = useQuery({
    queryKey: keysOf(project),
    queryFn: ({ signal }) => petrel.admin.listKeys(project, { signal }),
  });
  return (
    <SettingsFrame part="keys" aside={data && <Amount of={data.length} />}>
      {error !== null && <Refused error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <Loading />}
      {data && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <MakeKey />
          <div className="sheet">
            {data.length === 0 && <Empty title={words.settings.keys.none}>{words.settings.keys.noneAdvice}</Empty>}
            <ul>
              {data.map((key) => (
                <OneKey key={key.id} entry={key} />
              ))}
            </ul>
          </div>
        </div>
      )}
    </SettingsFrame>
  );
}
