import type { ImportPlan } from "petrel-client";
import { useWords } from "../../words/words";
import { Figures } from "./figures";

/** Shows what an import would do: how many rows it finds, and what each column becomes. */
export function Plan({ plan }: { plan: ImportPlan }) {
  const { words } = useWords();
  const texts = words.people.import;
  return (
    <>
      <Figures
        figures={[
          [texts.total, plan.totalRows],
          [texts.duplicates, plan.duplicates],
          [texts.invalid, plan.invalid],
          [texts.optOuts, plan.unsubscribedRows],
        ]}
      />
      {plan.partial && <p className="text-small text-quiet">{texts.partial}</p>}
      {plan.warnings?.map(({ field, message }) => (
        <p key={field + message} className="rounded-box border border-warn bg-warn-tint p-3">
          <bdi>{message}</bdi>
        </p>
      ))}
      <section aria-label={texts.columns} className="max-h-96 overflow-auto" tabIndex={-1}>
        <table className="w-full text-start">
          <thead className="text-small text-quiet">
            <tr>
              <th scope="col" className="py-1 pe-4 text-start font-normal">
                {texts.column}
              </th>
              <th scope="col" className="py-1 text-start font-normal">
                {texts.becomes}
              </th>
            </tr>
          </thead>
          <tbody>
            {plan.columns.map(({ column, field }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a plan never change, and names may repeat
              <tr key={at} className="border-t border-line">
                <td className="py-1 pe-4 break-all">
                  <bdi>{column}</bdi>
                </td>
                <td className="py-1 font-mono text-small break-all">
                  {field === null ? <span className="font-sans text-quiet">{texts.dropped}</span> : <bdi>{field}</bdi>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
