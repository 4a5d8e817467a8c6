import type { z } from "zod";
import type { Document } from "./operations";
import type { PlacedOperation } from "./routes";

/**
 * Returns the schemas of job results by their ids. The OpenAPI document registers them separately, because no answer
 * consists of a job result alone.
 */
export function jobResultsOf(operations: PlacedOperation[]): Map<string, z.ZodType> {
  const results = operations.flatMap(({ accepted }) =>
    accepted !== undefined && "jobResult" in accepted && accepted.jobResult ? [accepted.jobResult] : [],
  );
  return new Map(results.map((schema) => [schema.meta()?.id ?? "", schema]));
}

/**
 * Adds the possible results of jobs to the `Job` schema, which cannot name them, because only the features know them.
 * The call that starts a job names the job's result in `x-job-result`.
 */
export function withJobResults(document: Document, names: Iterable<string>): Document {
  const { Job, ...schemas } = document.components?.schemas ?? {};
  if (Job === undefined || !("properties" in Job) || Job.properties?.result === undefined) return document;
  const { description, ...anyOther } = Job.properties.result;
  const known = [...names].toSorted().map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const properties = { ...Job.properties, result: { description, anyOf: [...known, anyOther] } };
  return {
    ...document,
    components: { ...document.components, schemas: { ...schemas, Job: { ...Job, properties } } },
  };
}
