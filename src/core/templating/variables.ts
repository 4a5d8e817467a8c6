/** The URLs of the recipient's own pages, to which an email can link. */
export interface TemplateLinks {
  unsubscribeUrl?: string;
  subscribeUrl?: string;
  manageUrl?: string;
  confirmUrl?: string;
}

export interface TemplateInput {
  contact: { id: string; email: string; subscribed: boolean; data: Record<string, unknown> };
  /** The values of this call or event. They override the contact's values of the same name. */
  ownData?: Record<string, unknown>;
  /** The recipient's name in the `to` of this email. Printed as `{{ name }}`, unless this call's data has a `name`. */
  recipientName?: string;
  links?: TemplateLinks;
  /**
   * In a workflow: `event` and the other values of its execution. A workflow's templates also see the contact as
   * `contact`.
   */
  execution?: Record<string, unknown>;
}

/**
 * Returns all variables of a template: each key of the data, at the top level and under `data`, and the built-in names,
 * which override keys. `locale` is a key like any other. No object made here has a prototype, so even a key such as
 * `__proto__` is ordinary data.
 */
export function templateVariables(input: TemplateInput): Record<string, unknown> {
  const { contact, ownData, recipientName, links, execution } = input;
  const data = plain(contact.data, ownData);
  const person = { id: contact.id, email: contact.email, subscribed: contact.subscribed, data };
  const builtIn = {
    ...person,
    service_id: contact.id,
    service_email: contact.email,
    ...(execution && { contact: plain(person) }),
  };
  const name = recipientName === undefined || ownData?.name !== undefined ? {} : { name: recipientName };
  return plain(data, name, execution, links, builtIn);
}

function plain(...layers: (object | undefined)[]): Record<string, unknown> {
  return Object.assign(Object.create(null), ...layers);
}
