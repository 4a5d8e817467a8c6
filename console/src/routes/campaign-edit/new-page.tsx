import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useProject } from "../../api/project";
import { useMay } from "../../api/rights";
import { Button } from "../../parts/button";
import { SelectField, TextField } from "../../parts/field";
import { Page } from "../../parts/page";
import { Empty, Loading, OnlyReading, Refused } from "../../parts/states";
import { useWords } from "../../words/words";
import { useLists } from "./use-lists";

/** Creates a draft, empty or from a template. */
export function NewCampaignPage() {
  const { words } = useWords();
  const own = words.campaignEdit;
  const { id: project } = useProject();
  const { domains, isLoading } = useLists();
  const [domain] = domains;
  const mayCreate = useMay()("campaigns.create");
  return (
    <Page title={own.create}>
      <div className="sheet max-w-xl">
        {isLoading && <Loading rows={4} />}
        {!mayCreate && <OnlyReading />}
        {!isLoading && mayCreate && domain === undefined && (
          <Empty title={own.noDomain}>
            <Link to="/p/$project/domains" params={{ project }} className="link">
              {own.toDomains}
            </Link>
          </Empty>
        )}
        {!isLoading && mayCreate && domain !== undefined && <Form domain={domain} />}
      </div>
    </Page>
  );
}

function Form({ domain }: { domain: string }) {
  const { words } = useWords();
  const own = words.campaignEdit;
  const { id: project, petrel } = useProject();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [from, setFrom] = useState(`hello@${domain}`);
  const [templateId, setTemplate] = useState("");
  const { data: templates } = useQuery({
    queryKey: [project, "templates"],
    queryFn: async ({ signal }) => (await petrel.templates.list({ pageSize: 100 }, { signal })).data,
  });
  const create = useMutation({
    mutationFn: () =>
      petrel.campaigns.create({
        ...{ name, from, audienceType: "ALL" },
        ...(templateId ? { templateId } : { subject: name, body: `<h1>${own.hello}</h1>\n<p>${own.firstLine}</p>\n` }),
      }),
    onSuccess: ({ id }) =>
      navigate({ to: "/p/$project/campaigns/$campaign/edit", params: { project, campaign: id }, replace: true }),
  });
  return (
    <form
      className="grid gap-4 p-6"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <TextField
        label={own.fields.name}
        required
        placeholder={own.nameHint}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label={own.fields.from}
        type="email"
        required
        spellCheck={false}
        value={from}
        onChange={({ target }) => setFrom(target.value)}
      />
      <SelectField label={own.beginWith} value={templateId} onChange={({ target }) => setTemplate(target.value)}>
        <option value="">{own.blank}</option>
        {templates?.map((template) => (
          <option key={template.id} value={template.id}>
            {template.name}
          </option>
        ))}
      </SelectField>
      {create.error && <Refused error={create.error} />}
      <div>
        <Button type="submit" kind="main" isBusy={create.isPending}>
          {own.begin}
        </Button>
      </div>
    </form>
  );
}
