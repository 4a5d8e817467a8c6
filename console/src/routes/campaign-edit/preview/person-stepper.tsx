import { useQuery } from "@tanstack/react-query";
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import { useProject } from "../../../api/project";
import { Button } from "../../../parts/button";
import { useWords } from "../../../words/words";
import type { PreviewPerson } from "./use-people";

interface PersonStepperProps {
  people: PreviewPerson[];
  person: PreviewPerson | undefined;
  show(person: string): void;
}

/** Names the person whose mail is shown, with buttons for the next and the previous one. */
export function PersonStepper({ people, person, show }: PersonStepperProps) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const { id: project, petrel } = useProject();
  const id = person?.id ?? "";
  const { data } = useQuery({
    queryKey: [project, "contact", id],
    enabled: id !== "",
    queryFn: ({ signal }) => petrel.contacts.get(id, { signal }),
  });
  if (person === undefined) return <span className="text-small text-quiet">{own.nobodyToShow}</span>;
  const at = people.indexOf(person);
  const step = (by: number) => {
    const next = people[(at + by + people.length) % people.length];
    if (next) show(next.id);
  };
  return (
    <>
      <span className="min-w-0 self-center text-small" role="status">
        <span className="text-quiet">{person.faults > 0 ? own.worst : own.as}</span> <bdi>{data?.email ?? "…"}</bdi>
      </span>
      <Button kind="quiet" aria-label={own.previousPerson} title={own.previousPerson} onClick={() => step(-1)}>
        <ChevronLeft size={16} aria-hidden />
      </Button>
      <Button kind="quiet" aria-label={own.nextPerson} title={own.nextPerson} onClick={() => step(1)}>
        <ChevronRight size={16} aria-hidden />
      </Button>
    </>
  );
}
