import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleDashed } from "lucide-react";
import { useProject } from "../../api/project";
import { Section } from "../../parts/page";
import { useWords } from "../../words/words";

const steps = [
  { name: "domain", to: "/p/$project/domains" },
  { name: "person", to: "/p/$project/people" },
  { name: "mail", to: "/p/$project/emails" },
] as const;

/** The first steps, ticked by what is so and not by clicks. Gone when all of them are done. */
export function FirstSteps() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { data } = useQuery({
    queryKey: [project, "first steps"],
    queryFn: async ({ signal }) => {
      const [domains, people, mail] = await Promise.all([
        petrel.domains.list({ signal }),
        petrel.contacts.list({ limit: 1 }, { signal }),
        petrel.emails.list({ limit: 1 }, { signal }),
      ]);
      return { domain: domains.some(({ verified }) => verified), person: people.total > 0, mail: mail.data.length > 0 };
    },
  });
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
