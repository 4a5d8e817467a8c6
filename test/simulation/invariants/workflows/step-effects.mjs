/** What each step with an effect has done to the world: once, and in this execution alone. */
export const effectFaults = {
  mail({ step, execution, contact, mails }) {
    const own = mails.filter(({ effect_id: effect }) => effect === effectOf(step));
    if (own.length > 1) return [`${step.name} mailed ${own.length} times`];
    if (step.status === "COMPLETED" && own.length === 0) return [`${step.name} mailed nothing`];
    const isSuppressed = own.every(({ status }) => status === "SUPPRESSED");
    if (step.status === "SKIPPED" && !isSuppressed) return [`${step.name} is skipped, and mailed`];
    if (own.some(({ contact_id: id }) => id !== contact.id)) return [`${step.name} mailed somebody else`];
    return step.status === "FAILED" ? [`${step.name} of ${execution.id} failed: ${step.error}`] : [];
  },

  /** A call is made at least once. It fails after three tries, or when its host is nowhere. */
  call({ step, calls, isFaultless }) {
    const own = calls.filter(({ key }) => key === effectOf(step));
    if (step.status === "COMPLETED" && !own.some(({ status }) => status === step.output?.statusCode))
      return [`${step.name} says ${step.output?.statusCode}, which nobody answered`];
    return step.status === "FAILED" && isFaultless ? [`${step.name} failed without a fault: ${step.error}`] : [];
  },

  update({ step, contact }) {
    if (step.status !== "COMPLETED") return [`${step.name} is ${step.status}`];
    return "noted" in contact.data ? [] : [`${step.name} wrote nothing`];
  },
};

function effectOf({ executionId, stepId }) {
  return `${executionId}:${stepId}`;
}
