import { useQuery } from "@tanstack/react-query";
import { useProject } from "../../../api/project";
import { SelectField } from "../../../parts/field";
import { useWords } from "../../../words/words";

/** The choice offers the templates changed most recently, and the chosen one. */
const most = 100;

export function ConfirmationField({ current }: { current: string | null }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { data } = useQuery({
    queryKey: [project, "templates", "choice"],
    queryFn: ({ signal }) => petrel.templates.list({ pageSize: most }, { signal }),
  });
  const templates = data?.data ?? [];
  const isListed = current === null || templates.some(({ id }) => id === current);
  return (
    <SelectField
      label={words.settings.project.confirmation}
      name="confirmationTemplateId"
      key={data === undefined ? "waiting" : "there"}
      defaultValue={current ?? ""}
    >
      <option value="">{words.settings.project.noConfirmation}</option>
      {!isListed && <option value={current}>{current}</option>}
      {templates.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
