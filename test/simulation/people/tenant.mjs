import { persons } from "./plan.mjs";

/** Makes a project as its first people would: domain, templates, webhook, segment and workflow, before any fault. */
export async function settle(world, name) {
  const project = await world.newProject(name);
  const { domain, keys } = project;
  const host = `hooks.${name}.example`;
  const make = async (path, body) => {
    const { status, body: made } = await world.call("POST", path, { key: keys.secret, body });
    if (status !== 201) throw new Error(`${path} was answered ${status}: ${JSON.stringify(made)}`);
    return made;
  };
  const from = `hello@${domain}`;
  const template = (type) =>
    make("/templates", { name: type, subject: `${type} of ${name}`, body: "<p>Hello {{ email }}</p>", from, type });
  const [marketing, transactional] = [await template("MARKETING"), await template("TRANSACTIONAL")];
  const webhook = await make("/webhooks", { url: `https://${host}/events`, events: ["*"] });
  world.outside.receivers.expect(host, webhook.secret);
  const condition = { logic: "AND", groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }] };
  const segment = await make("/segments", { name: "Pro", condition, trackMembership: true });
  const workflow = await make("/workflows", journey(name, marketing.id, 0));
  // A person whom only public keys have named would get one mail a day.
  const address = (person) => `p${person}@${name}.example`;
  for (let person = 0; person < persons; person++) await make("/contacts", { email: address(person) });
  return {
    ...{ ...project, host, from, marketing, transactional, webhook, workflow },
    ...{ segments: [segment], campaigns: [], isDeleted: false, timesDisabled: 0, key: keys.secret, keyIds: [] },
    address,
  };
}

/** The workflow of a tenant, in one of several forms; people change it while others wait in it. */
export function journey(name, templateId, form) {
  const url = `https://hooks.${name}.example/steps`;
  const steps = [
    { key: "welcome", type: "SEND_EMAIL", config: { templateId } },
    { key: "wait", type: "WAIT_FOR_EVENT", config: { eventName: "purchase", timeout: 60 + 60 * form } },
    { key: "note", type: "UPDATE_CONTACT", config: { data: { bought: form } } },
    { key: "call", type: "WEBHOOK", config: { url } },
    { key: "rest", type: "DELAY", config: { amount: 1 + form, unit: "minutes" } },
    { key: "again", type: "SEND_EMAIL", config: { templateId } },
  ].filter(({ key }) => !(form === 1 && key === "rest") && !(form === 2 && key === "call"));
  const keys = ["trigger", ...steps.map(({ key }) => key)];
  const transitions = keys.slice(1).map((to, index) => ({ from: keys[index], to }));
  return { name: "Journey", eventName: "signup", enabled: true, allowReentry: true, steps, transitions };
}
