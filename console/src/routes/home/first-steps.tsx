import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import CircleCheck from "lucide-react/icons/circle-check";
import CircleDashed from "lucide-react/icons/circle-dashed";
import { useProject } from "../../api/project";
import { Section } from "../../parts/page";
import { useFirstWords } from "../../words/first";
import { readsOf } from "./reads";

const steps = [
  { name: "domain", to: "/p/$project/domains" },
  { name: "person", to: "/p/$project/people" },
  { name: "mail", to: "/p/$project/emails" },
] as const;

/** Shows the first steps, ticked by the actual state and not by clicks. Disappears when all are done. */
export function FirstSteps() {
  const { words } = useFirstWords();
  const { id: project, petrel } = useProject();
  const { data } = useQuery(readsOf(project, petrel).firstSteps);
  if (data === undefined || Object.values(data).every(Boolean)) return null;
  return (
    <Section title={words.home.steps}>
      <ol className="grid gap-3 p-4">
        {steps.map(({ name, to }) => {
          const Icon = data[name] ? CircleCheck : CircleDashed;
          return (
            <li key={name} className="flex items-center gap-3">
              <Icon
                size={20}
                className={data[name] ? "text-good" : "text-quiet"}
                role="img"
                aria-label={data[name] ? words.home.done : words.home.open}
              />
              <Link to={to} params={{ project }} className="link">
                {words.home.step[name]}
              </Link>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
