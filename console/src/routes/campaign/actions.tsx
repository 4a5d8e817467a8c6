import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { Campaign } from "petrel-client";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button, buttonLook } from "../../parts/button";
import { Confirm } from "../../parts/confirm";
import { Refused } from "../../parts/states";
import { useWords } from "../../words/words";

/** Offers to edit, copy, delete or retry a campaign. A viewer is offered none of these. */
export function Actions({ campaign, failed }: { campaign: Campaign; failed: number }) {
  const { words, count } = useWords();
  const { id: project, petrel } = useProject();
  const may = useMay();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { id, status, name } = campaign;
  const forget = () => queries.invalidateQueries({ queryKey: [project] });
  const duplicate = useMutation({
    mutationFn: () => petrel.campaigns.duplicate(id),
    onSuccess: async ({ id: copy }) => {
      await queries.invalidateQueries({ queryKey: [project, "campaigns"] });
      await navigate({ to: "/p/$project/campaigns/$campaign/edit", params: { project, campaign: copy } });
    },
  });
  const remove = useMutation({
    mutationFn: () => petrel.campaigns.delete(id),
    onSuccess: async () => {
      await navigate({ to: "/p/$project/campaigns", params: { project } });
      await queries.invalidateQueries({ queryKey: [project, "campaigns"] });
      await queries.invalidateQueries({ queryKey: [project, "trash"] });
    },
  });
  const retry = useMutation({ mutationFn: () => petrel.campaigns.retry(id, {}), onSettled: forget });
  const error = duplicate.error ?? remove.error ?? retry.error;
  return (
    <>
      {status === "SENT" && failed > 0 && may("campaigns.retry") && (
        <Button isBusy={retry.isPending} onClick={() => retry.mutate()}>
          {words.campaigns.retry(count(failed))}
        </Button>
      )}
      {(status === "DRAFT" || status === "SCHEDULED") && may("campaigns.replace") && (
        <Link
          to="/p/$project/campaigns/$campaign/edit"
          params={{ project, campaign: id }}
          className={buttonLook(status === "DRAFT" ? "main" : "plain")}
        >
          {words.campaigns.edit}
        </Link>
      )}
      {may("campaigns.duplicate") && (
        <Button isBusy={duplicate.isPending} onClick={() => duplicate.mutate()}>
          {words.campaigns.duplicate}
        </Button>
      )}
      {status !== "SENDING" && status !== "SCHEDULED" && may("campaigns.delete") && (
        <Confirm
          label={words.campaigns.remove}
          title={words.campaigns.removeTitle(name)}
          action={words.campaigns.remove}
          run={() => remove.mutate()}
          isBusy={remove.isPending}
        >
          {words.campaigns.removeAdvice}
        </Confirm>
      )}
      {error && <Refused error={error} />}
    </>
  );
}
