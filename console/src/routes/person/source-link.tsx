import { Link } from "@tanstack/react-router";
import type { ContactExplanation } from "petrel-client";
import type { ReactNode } from "react";
import { useProject } from "../../api/project";

type Source = ContactExplanation["because"][number]["source"];

/** Links to the record behind a reason, if it has a page. */
export function SourceLink({ source: { type, id }, children }: { source: Source; children: ReactNode }) {
  const { id: project } = useProject();
  switch (type) {
    case "email":
      return (
        <Link to="/p/$project/emails/$email" params={{ project, email: id }} className="link">
          {children}
        </Link>
      );
    case "campaign":
      return (
        <Link to="/p/$project/campaigns/$campaign" params={{ project, campaign: id }} className="link">
          {children}
        </Link>
      );
    case "segment": {
      const where = [{ field: `segment.${id}`, operator: "memberOfSegment" as const }];
      return (
        <Link to="/p/$project/people" params={{ project }} search={{ where }} className="link">
          {children}
        </Link>
      );
    }
    case "domain":
      return (
        <Link to="/p/$project/domains" params={{ project }} className="link">
          {children}
        </Link>
      );
    default:
      return children;
  }
}
