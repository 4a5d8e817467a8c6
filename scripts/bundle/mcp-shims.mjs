/**
 * Replaces the JSON schema validator that the SDK of the Model Context Protocol brings for Workers. It checks forms
 * that a server asks the client's user to fill in. We ask for none, and check the arguments of tools with zod.
 */
export class DefaultJsonSchemaValidator {}
