import { expect, it } from "vitest";
import { filesNamedIn, fileToken, moveFileUrls, newFileSecret, readFileToken } from "../../../src/core/files/address";
import { newId, publicId, textOf } from "../../../src/core/ids";

const address = () => ({ projectId: publicId(newId()), id: newId(), secret: newFileSecret() });

it("a token says whose file it is, and with which secret", () => {
  const one = address();
  expect(readFileToken(fileToken(one))).toEqual(one);
  expect(fileToken(one)).toMatch(/^[A-Za-z0-9_-]{64}$/);
});

it.each(["", "x", "A".repeat(63), "A".repeat(65), `${"A".repeat(63)}!`])("%j is no token", (token) => {
  expect(readFileToken(token)).toBeNull();
});

it("a body names each of the project's files once, and nobody else's", () => {
  const [one, stranger] = [address(), address()];
  const two = { ...address(), projectId: one.projectId };
  const urls = [one, two, one, stranger].map((each) => `https://mail.example/f/${fileToken(each)}`);
  const body = `${urls.map((url) => `<img src="${url}">`).join("")}<a href="/f/${"A".repeat(64)}0">x</a>`;
  expect(filesNamedIn(body, one.projectId)).toEqual([textOf(one.id), textOf(two.id)]);
});

it("URLs of a project's files move to another project and host, and nobody else's", () => {
  const [one, stranger, to] = [address(), address(), publicId(newId())];
  const [url, other] = [fileToken(one), fileToken(stranger)];
  const moved = fileToken({ ...one, projectId: to });
  const text = `"https://old.example:8080/f/${url}" (/f/${url}) https://old.example/f/${other}`;
  expect(moveFileUrls(text, one.projectId, { projectId: to, linkBase: "https://new.example" })).toBe(
    `"https://new.example/f/${moved}" (/f/${moved}) https://old.example/f/${other}`,
  );
  expect(moveFileUrls(text, one.projectId, { projectId: to, linkBase: null })).toBe(
    `"https://old.example:8080/f/${moved}" (/f/${moved}) https://old.example/f/${other}`,
  );
});
