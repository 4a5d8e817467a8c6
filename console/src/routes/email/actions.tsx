import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Email } from "petrel-client";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button } from "../../parts/button";
import { Confirm } from "../../parts/confirm";
import { Refused } from "../../parts/states";
import { useWords } from "../../words/words";

/** Shows the actions for an email in its state. The service has the last word, and explains refusals. */
export function Actions({ email: { id, status } }: { email: Email }) {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const may = useMay();
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries({ queryKey: [project] });
  const retry = useMutation({ mutationFn: () => petrel.emails.retry(id), onSuccess });
  const cancel = useMutation({ mutationFn: () => petrel.emails.cancel(id), onSuccess });
  const error = retry.error ?? cancel.error;
  const canRetry = status === "FAILED" || status === "CANCELLED" || status === "UNKNOWN";
  return (
    <>
      {canRetry && may("emails.retry") && (
        <Button kind="main" isBusy={retry.isPending} onClick={() => retry.mutate()}>
          {words.email.retry}
        </Button>
      )}
      {status === "QUEUED" && may("emails.cancel") && (
        <Confirm
          label={words.email.cancel}
          title={words.email.cancelTitle}
          action={words.email.cancel}
          run={() => cancel.mutate()}
          isBusy={cancel.isPending}
        >
          {words.email.cancelAdvice}
        </Confirm>
      )}
      {error && <Refused error={error} />}
    </>
  );
}
