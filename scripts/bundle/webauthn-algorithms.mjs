/** Replaces algorithms that we offer to no authenticator, and that bring their own certificate reader. */
const leftOut = () => {
  throw new Error("This algorithm is not in the bundle");
};

export { leftOut as verifyAKP, leftOut as verifyOKP };
