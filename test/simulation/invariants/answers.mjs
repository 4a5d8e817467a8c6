const usual = new Set([0, 429, 503]);
const closed = new Set([401, 403, 404]);

/** No answer is a surprise, and none names people of another tenant. Calls of those who may not are refused. */
export function answersThatSurprise({ answers, facts, tenants }) {
  const believed = facts.filter(({ is, status }) => is === "deceived" && status >= 200 && status < 300);
  return [
    ...answers.flatMap((told) => [...faultsOf(told), ...strangersIn(told, tenants)]),
    ...believed.map(({ entry, what, status }) => `${entry.kind} ${entry.number}: ${what} was believed (${status})`),
  ];
}

function faultsOf({ entry, method, path, answer: { status, text }, allowed, isClosed }) {
  const isFine = status === 0 || (status >= 200 && status < 300) || usual.has(status) || allowed.includes(status);
  if (isFine || (isClosed && closed.has(status))) return [];
  return [`${entry.kind} ${entry.number}: ${method} ${path} was answered ${status}: ${text.slice(0, 300)}`];
}

function strangersIn({ entry, tenant, answer: { text } }, tenants) {
  return tenants
    .filter(({ name }) => name !== tenant.name && text.includes(`@${name}.example`))
    .map(({ name }) => `${entry.kind} ${entry.number} of ${tenant.name} was answered with people of ${name}`);
}
