import { Link } from "@tanstack/react-router";
import { useProject } from "../../api/project";
import { Amount } from "../../parts/amount";
import type { EmailFilters } from "../emails/filters";

interface CountedRowsProps {
  /** The id of the campaign. */
  id: string;
  of: number;
  /** The figure; without it, all mail of the campaign is listed. */
  as?: NonNullable<EmailFilters["countedAs"]>;
}

/** Shows a figure that links to the mail that it counts. */
export function CountedRows({ id, of, as }: CountedRowsProps) {
  const { id: project } = useProject();
  if (of === 0) return <Amount of={of} />;
  return (
    <Link
      to="/p/$project/emails"
      params={{ project }}
      search={{ campaignId: id, ...(as && { countedAs: as }) }}
      className="link"
    >
      <Amount of={of} />
    </Link>
  );
}
