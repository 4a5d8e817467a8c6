import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Contact } from "petrel-client";
import { useProject } from "../../api/project";
import type { Column } from "../../parts/table";
import { Time } from "../../parts/time";
import { useWords } from "../../words/words";
import { Subscription } from "./subscription";

/** The number of data columns that fit next to the others on a large screen. */
const most = 4;

/** Returns the columns of the list: the fixed ones, and one for each chosen key of the data. */
export function usePeopleColumns(project: string, chosen: readonly string[]): Column<Contact>[] {
  const { words } = useWords();
  const ofData = chosen.slice(0, most).map((key) => ({
    title: key,
    from: "tablet" as const,
    className: "w-36 truncate",
    cell: ({ data }: Contact) => <bdi>{shown(data[key])}</bdi>,
  }));
  return [
    {
      title: words.people.email,
      cell: (contact) => (
        <>
          <Link
            to="/p/$project/people/$person"
            params={{ project, person: contact.id }}
            className="row-link block truncate font-medium text-ink no-underline"
          >
            <bdi>{contact.email}</bdi>
          </Link>
          <span className="flex gap-2 text-small text-quiet">
            <span className="tablet:hidden">
              <Subscription contact={contact} />
            </span>
            <bdi className="truncate">{summaryOf(contact.data)}</bdi>
          </span>
        </>
      ),
    },
    {
      title: words.people.subscribed,
      from: "tablet",
      className: "w-36",
      cell: (contact) => <Subscription contact={contact} />,
    },
    ...ofData,
    {
      title: words.people.since,
      from: "tablet",
      className: "w-40 text-balance text-quiet desk:w-48",
      cell: ({ createdAt }) => <Time at={createdAt} isShort />,
    },
  ];
}

function shown(value: unknown): string {
  return value === undefined || value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the first few values of a person's data, in one line. */
function summaryOf(data: Record<string, unknown>): string {
  const plain = Object.entries(data).filter(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  return plain
    .slice(0, 4)
    .map(([name, value]) => `${name}: ${value}`)
    .join(" · ");
}

interface ChooseColumnsProps {
  chosen: readonly string[];
  choose(keys: string[]): void;
}

/** Shows a menu of the data that people have. The page's address contains the chosen columns. */
export function ChooseColumns({ chosen, choose }: ChooseColumnsProps) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { data } = useQuery({
    queryKey: [project, "fields"],
    queryFn: ({ signal }) => petrel.contacts.listFields({ signal }),
  });
  const keys = (data?.fields ?? []).flatMap(({ field }) => (field.startsWith("data.") ? [field.slice(5)] : []));
  if (keys.length === 0) return null;
  return (
    <details className="relative hidden tablet:block">
      <summary className="inline-flex min-h-9 items-center rounded-part px-2 text-quiet hover:bg-hover hover:text-ink">
        {words.people.columns}
      </summary>
      <fieldset className="sheet absolute end-0 z-10 mt-1 grid max-h-80 w-56 gap-1 overflow-auto p-3 shadow-lg">
        <legend className="sr-only">{words.people.columns}</legend>
        {keys.map((key) => (
          <label key={key} className="flex items-center gap-2 py-0.5">
            <input
              type="checkbox"
              checked={chosen.includes(key)}
              disabled={!chosen.includes(key) && chosen.length >= most}
              onChange={({ target }) => choose(target.checked ? [...chosen, key] : chosen.filter((one) => one !== key))}
            />
            <bdi className="truncate">{key}</bdi>
          </label>
        ))}
      </fieldset>
    </details>
  );
}
