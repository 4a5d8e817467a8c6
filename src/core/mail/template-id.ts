/** The error for a template that is not named by its id. */
export const templateId =
  "Must be the id of a template, which is a UUID: GET /templates?search= finds templates by their names";
