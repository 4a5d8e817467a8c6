import { definitionOf, stepTypes } from "../../core/workflows/step";

const stepTable = [
  "| Type of step | What it does | Branches of the transitions out of it |",
  "| --- | --- | --- |",
  ...stepTypes.map((type) => {
    const { does, branches } = definitionOf(type);
    return `| \`${type}\` | ${does[0]?.toUpperCase()}${does.slice(1)} | ${branches?.are ?? ""} |`;
  }),
].join("\n");

/** Explains how a workflow is created and deployed. */
export function workflows(origin: string): string {
  return `## Workflows

A workflow is a graph that each contact goes through by itself. It is one document, in which steps have keys of yours:

\`\`\`sh
curl ${origin}/workflows \\
  -H 'Authorization: Bearer sk_…' \\
  -d '{
    "name": "Onboarding",
    "eventName": "signup",
    "enabled": true,
    "steps": [
      { "key": "welcome", "type": "SEND_EMAIL", "templateId": "…" },
      { "key": "first-project", "type": "WAIT_FOR_EVENT", "config": { "eventName": "project_created", "timeout": 259200 } },
      { "key": "is-pro", "type": "CONDITION", "config": { "field": "data.plan", "operator": "equals", "value": "pro" } },
      { "key": "tips", "type": "SEND_EMAIL", "templateId": "…" },
      { "key": "help", "type": "SEND_EMAIL", "templateId": "…" }
    ],
    "transitions": [
      { "from": "trigger", "to": "welcome" },
      { "from": "welcome", "to": "first-project" },
      { "from": "first-project", "to": "is-pro", "branch": "event" },
      { "from": "first-project", "to": "help", "branch": "timeout" },
      { "from": "is-pro", "to": "tips", "branch": "yes" }
    ]
  }'
\`\`\`

${stepTable}

A workflow is made whole or not at all, and a fault names its place: \`steps[1].config.eventName\`. Keep the document next to your code. A
deployment asks first what would change, and then replaces the workflow:

\`\`\`sh
curl '${origin}/workflows/{id}/document?dryRun=true' -X PUT -H 'Authorization: Bearer sk_…' -d @onboarding.json
curl '${origin}/workflows/{id}/document' -X PUT -H 'Authorization: Bearer sk_…' -d @onboarding.json
\`\`\`

A step with the same key stays itself, so executions that wait there go on. While executions stand on steps that the document
no longer has, the second call is a 409 with their number: \`?moveTo=help\` has them go on at that step, \`?force=true\` ends them.
\`GET /workflows/{id}/document\` returns the document with its \`version\`; a \`PUT\` with a version is a 409 if the workflow has
changed since.`;
}
