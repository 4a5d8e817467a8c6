import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button, buttonLook } from "../../parts/button";
import { Refused } from "../../parts/states";
import { useMe } from "../../shell/root";
import { useWords } from "../../words/words";

/** Sends a first mail to the person who looks, and shows it. Without a verified domain, it leads to the domains. */
export function FirstMail() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const { person } = useMe();
  const may = useMay();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: domains } = useQuery({
    queryKey: [project, "domains"],
    queryFn: ({ signal }) => petrel.domains.list({ signal }),
  });
  const domain = domains?.find(({ verified }) => verified)?.domain;
  const send = useMutation({
    mutationFn: async () =>
      petrel.emails.send({
        ...{ to: person.email, from: `hello@${domain}`, subject: words.emails.firstSubject },
        body: `<p>${words.emails.firstBody}</p>`,
      }),
    async onSuccess({ emails: [sent] }) {
      await queries.invalidateQueries({ queryKey: [project, "emails"] });
      if (sent) await navigate({ to: "/p/$project/emails/$email", params: { project, email: sent.email } });
    },
  });
  if (domains === undefined) return null;
  if (domain === undefined) {
    if (!may("domains.add")) return null;
    return (
      <Link to="/p/$project/domains" params={{ project }} className={buttonLook("main")}>
        {words.settings.actions.domains}
      </Link>
    );
  }
  if (!may("emails.send")) return null;
  return (
    <>
      <Button kind="main" isBusy={send.isPending} onClick={() => send.mutate()}>
        {words.emails.first}
      </Button>
      {send.error && <Refused error={send.error} />}
    </>
  );
}
