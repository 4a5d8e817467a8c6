import { type Part, readPartSignature, signPart } from "../../../core/contacts/part-signature";
import { NotAuthenticated, ProjectDisabled, Unavailable } from "../../../core/errors";
import { type Id, publicId } from "../../../core/ids";
import { findProjectById } from "../../../engine/projects/project";
import { type Context, forProject, type Platform } from "../../../platform/context";

/**
 * Returns the URLs that take the parts of an upload. They begin with the configured base URL, or otherwise with the
 * host that the caller used. A URL contains no key, so a caller can give it to another program: it only allows storing
 * one part, in its announced size, while the upload is open.
 */
export function partUrls(ctx: Context, id: Id, parts: number): string[] {
  const { config, origin, project } = ctx;
  const [secret] = config.linkSecrets;
  if (secret === undefined) throw nothingSigns();
  return Array.from({ length: parts }, (_, index) => {
    const part = { uploadId: id, number: index + 1 };
    const path = `/contacts/imports/${publicId(id)}/parts/${part.number}`;
    return `${config.baseUrl ?? origin ?? ""}${path}?signature=${signPart(secret, project.id, part)}`;
  });
}

/** Returns the context of the project that the signature of a part's URL names. Throws NotAuthenticated. */
export async function openPartUrl(platform: Platform, part: Part, signature: string): Promise<Context> {
  const projectId = readPartSignature(platform.config.linkSecrets, part, signature);
  const project = projectId && (await findProjectById(platform, projectId));
  if (!project) throw notSigned();
  if (project.disabled) throw new ProjectDisabled();
  return forProject(platform, project);
}

function notSigned(): NotAuthenticated {
  return new NotAuthenticated("The signature in this URL is missing or invalid.", {
    suggestion: "Use the complete url of the part from POST /contacts/imports or GET /contacts/imports/{id}.",
  });
}

export function nothingSigns(): Unavailable {
  return new Unavailable("This installation has no secret to sign upload URLs with. Nothing was done.", {
    retryAfterSeconds: 60,
    suggestion: "Ask the operator to set LINK_SECRETS, or import files of at most 5 MB with POST /contacts/import.",
  });
}
