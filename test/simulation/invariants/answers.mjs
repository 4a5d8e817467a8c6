const usual = new Set([0, 429, 503]);
const closed = new Set([401, 403, 404]);

/** No answer is a surprise, and none names people or things of another tenant. Calls of those who may not are refused. */
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

/** A refusal may repeat the id that was asked for. */
function strangersIn({ entry, tenant, path, answer: { text } }, tenants) {
  return tenants
    .filter(({ name }) => name !== tenant.name)
    .flatMap((other) => [`@${other.name}.example`, ...idsOf(other)])
    .filter((strange) => text.includes(strange) && !path.includes(strange))
    .map((strange) => `${entry.kind} ${entry.number} of ${tenant.name} was answered with ${strange} of another tenant`);
}

/** What only the answers to a tenant may name. */
function idsOf({ id, marketing, transactional, webhook, workflows, segments, campaigns }) {
  return [id, ...[marketing, transactional, webhook, ...workflows, ...segments, ...campaigns].map((one) => one.id)];
}
