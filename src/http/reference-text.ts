import { type Described, type Document, operationsOf, type ParameterObject, type ResponseObject } from "./operations";

/** Renders the reference as Markdown: the guide, and under each tag its operations with their parameters and examples. */
export function referenceText(document: Document): string {
  const operations = operationsOf(document);
  const tags = (document.tags ?? []).map(({ name, description = "" }) => {
    const own = operations.filter(({ operation }) => operation.tags?.[0] === name);
    return [`## ${name}`, description, ...own.flatMap(operationText)].join("\n\n");
  });
  return `${["# Petrel API reference", lead, document.info.description ?? "", ...tags].join("\n\n")}\n`;
}

const lead = "Every field, answer and error is in the OpenAPI document, `/openapi.json`.";

function operationText({ path, method, operation }: Described): string[] {
  const { summary = "", description = "", parameters = [], requestBody, responses = {} } = operation;
  const [status = "", ok] = Object.entries<ResponseObject>(responses)[0] ?? [];
  const body = requestBody && "content" in requestBody ? exampleIn(requestBody.content) : undefined;
  return [
    `### ${summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    description,
    parameters.flatMap((one) => ("$ref" in one ? [] : parameterText(one))).join("\n"),
    blockOf("Body", body),
    blockOf(`Answer ${status}`, exampleIn(ok?.content)),
    `Statuses: ${Object.keys(responses).join(", ")}.`,
  ].filter((text) => text !== "");
}

function parameterText({ name, in: position, required, description = "" }: ParameterObject): string {
  return `- \`${name}\` (${position}${required ? ", required" : ""})${description && `: ${description}`}`;
}

function exampleIn(content: ResponseObject["content"]): unknown {
  return content?.["application/json"]?.example;
}

function blockOf(title: string, example: unknown): string {
  return example === undefined ? "" : `${title}:\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;
}
