export type { Answer, Call, FormOf, KeyedOptions, List, Options, QueryOf, Starting, VersionedOptions } from "./call.js";
export * from "./errors.js";
export type { ErrorCode, Operations } from "./generated/operations.gen.js";
export type * from "./generated/types.gen.js";
export { type FinishedJob, Petrel, type PetrelOptions, type ResultOf, type UntilOptions } from "./petrel.js";
export { mayCall, type OperationName, type PersonRights } from "./rights.js";
export { type WebhookEvent, WebhookVerificationError, webhooks } from "./webhooks.js";
