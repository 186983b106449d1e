// The signed result of a match and its place in the transparency log: CHAIN.md, "Signatures", RFC 9162, and the C2SP
// documents on signed notes and checkpoints. A key that only the file tells proves nothing about who signed: that is
// for who knows the platform's keys.

import { createPublicKey, verify } from "node:crypto";

import { all, ascii, bytes, has, inner, int, readFields, sha256, Wrong } from "./wire.mjs";

const SPKI = Buffer.from("302a300506032b6570032100", "hex"); // RFC 8410: what stands before an Ed25519 key

function isSigned(key, message, signature) {
  if (key.length !== 32) return false;
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI, key]), format: "der", type: "spki" });
  return verify(null, message, publicKey, signature);
}

// The keys that the reader brings, as `argosy export --keys` writes them; else those that the file tells.
function keysFor(exported, trusted, use) {
  if (trusted !== undefined) {
    return trusted.keys.filter((key) => key.use === use).map((key) => Buffer.from(key.key, "base64"));
  }
  const keys = all(exported, 12).map(readFields);
  return keys.filter((key) => bytes(key, 2).toString() === use).map((key) => bytes(key, 3));
}

// RFC 9162, section 2.1.3.2.
function rootOf(leaf, index, size, path) {
  if (index < 0 || index >= size) throw new Error("inclusion: there is no such leaf");
  let [fn, sn, root] = [index, size - 1, sha256(Buffer.from([0]), leaf)];
  const half = (n) => Math.floor(n / 2);
  for (const step of path) {
    if (sn === 0) throw new Error("inclusion: the path is too long");
    if (fn % 2 === 1 || fn === sn) {
      root = sha256(Buffer.from([1]), step, root);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      root = sha256(Buffer.from([1]), root, step);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  if (sn !== 0) throw new Error("inclusion: the path is too short");
  return root;
}

function checkNote(note, keys) {
  const end = note.indexOf("\n\n");
  const [text, lines] = [note.slice(0, end + 1), note.slice(end + 2).split("\n").filter(Boolean)];
  const origin = text.split("\n")[0];
  const holds = lines.some((line) => {
    const [mark, name, encoded] = line.split(" ");
    const data = Buffer.from(encoded ?? "", "base64");
    return keys.some((key) => {
      const id = sha256(Buffer.from(`${name}\n`), Buffer.from([1]), key).subarray(0, 4);
      return mark === "\u2014" && name === origin && id.equals(data.subarray(0, 4)) &&
        isSigned(key, Buffer.from(text), data.subarray(4));
    });
  });
  if (end < 0 || !holds) throw new Error("inclusion: the tree head is not signed by a key for the log");
  const [, size, root] = text.split("\n");
  return [Number(size), Buffer.from(root, "base64")];
}

// Whether there was a result to check.
export function checkResult(exported, head, trusted) {
  if (!has(exported, 13)) return false;
  const result = inner(exported, 13);
  const [data, signature, keyId] = [bytes(result, 1), bytes(result, 2), bytes(result, 3).toString()];
  const summary = readFields(data);
  const told = inner(summary, 7);
  if (!bytes(summary, 1).equals(head.match)) throw new Error("summary: it is of another match");
  if (int(told, 1) !== head.version) throw new Wrong(Math.min(int(told, 1), head.version + 1), "the result is of another length");
  if (!bytes(told, 2).equals(head.digest)) throw new Wrong(head.version, "the signed result is of another history");
  const message = Buffer.concat([ascii("argosy.result.v1"), sha256(data)]);
  const key = keysFor(exported, trusted, "receipt").find((one) => sha256(one).subarray(0, 8).toString("hex") === keyId);
  if (key === undefined) throw new Error("signature: no key for receipts has this id");
  if (!isSigned(key, message, signature)) throw new Error("signature: it does not hold");
  if (!has(exported, 14)) return true;
  const proof = inner(exported, 14);
  const leaf = bytes(proof, 1);
  if (!leaf.equals(Buffer.concat([Buffer.from([1]), sha256(message)]))) throw new Error("inclusion: the leaf is another");
  const [size, root] = checkNote(bytes(proof, 4).toString(), keysFor(exported, trusted, "log"));
  if (!rootOf(leaf, int(proof, 2), size, all(proof, 3)).equals(root)) throw new Error("inclusion: the path leads elsewhere");
  return true;
}
