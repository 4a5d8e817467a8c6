import { expect, it } from "vitest";
import { networkOf } from "../../src/core/network";

it.each([
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["2001:db8::2:1", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
  ["1::2:3:4:5:6", "1:0:0:2"],
])("the network of %s is %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
