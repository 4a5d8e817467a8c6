/** Stands in for the algorithms that we offer to no authenticator, which bring their own reader of certificates. */
const leftOut = () => {
  throw new Error("This algorithm is not in the bundle");
};

export { leftOut as verifyAKP, leftOut as verifyOKP };
