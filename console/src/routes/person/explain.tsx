import { useQuery } from "@tanstack/react-query";
import type { ExplainContact } from "petrel-client";
import { useState } from "react";
import { useProject } from "../../api/project";
import { Choice } from "../../parts/choice";
import { SelectField } from "../../parts/field";
import { Loading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { Verdict } from "./verdict";

const kinds = ["campaign", "workflow", "template"] as const;
type Kind = (typeof kinds)[number];

/** The number of options of each kind, newest first. */
const most = 100;

/** Answers "Did this person get it?": asks for the mail, and shows the answer with its first reason. */
export function Explain({ contactId }: { contactId: string }) {
  const { words } = useWords();
  const [kind, setKind] = useState<Kind>("campaign");
  const [chosen, setChosen] = useState("");
  const names = useNames(kind);
  return (
    <div>
      <div className="grid gap-3 p-4">
        <Choice
          label={words.person.explainWhat}
          value={kind}
          options={kinds.map((one) => [one, words.person.kinds[one]] as const)}
          choose={(next) => {
            setKind(next);
            setChosen("");
          }}
        />
        {names.data?.length === 0 ? (
          <p className="text-quiet">{words.person.nothingToExplain}</p>
        ) : (
          <SelectField
            label={words.person.kinds[kind]}
            isBare
            value={chosen}
            onChange={({ target }) => setChosen(target.value)}
          >
            <option value="" disabled>
              {words.person.choose}
            </option>
            {names.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
      </div>
      {names.error && <Refused error={names.error} retry={() => void names.refetch()} />}
      {chosen !== "" && <Answer contactId={contactId} asked={{ [`${kind}Id`]: chosen }} />}
    </div>
  );
}

function useNames(kind: Kind) {
  const { id: project, petrel } = useProject();
  return useQuery({
    queryKey: [project, "names", kind],
    queryFn: async ({ signal }) => {
      const newest = { pageSize: most };
      const lists = {
        campaign: () => petrel.campaigns.list(newest, { signal }),
        workflow: () => petrel.workflows.list(newest, { signal }),
        template: () => petrel.templates.list(newest, { signal }),
      };
      const page = await lists[kind]();
      return page.data.map(({ id, name }) => ({ id, name }));
    },
  });
}

function Answer({ contactId, asked }: { contactId: string; asked: ExplainContact }) {
  const { id: project, petrel } = useProject();
  const { data, error, refetch } = useQuery({
    queryKey: [project, "explain", contactId, asked],
    queryFn: ({ signal }) => petrel.contacts.explain(contactId, asked, { signal }),
  });
  if (error !== null) return <Refused error={error} retry={() => void refetch()} />;
  return data === undefined ? <Loading rows={3} /> : <Verdict of={data} />;
}
