// Verifies an opened export of a match, from CHAIN.md and the comments in protos/argosy/v1 alone.
//
//     node verify.mjs FILE [KEYS]
//
// It needs Node.js and its standard library; nothing of the platform's own code. It checks dense versions, the
// commitment to the seed, every commitment to a sealed part as it goes into the chain, every digest, the key of all
// draws, every draw, and the signed result with its place in the transparency log, by the keys given or those in the
// file. It prints what it counted as JSON, or the first failing version and why, with exit code 1. What the rules would
// decide is not its business: that takes the rules.

import { readFileSync } from "node:fs";

import { checkResult } from "./signed.mjs";
import { all, ascii, bytes, has, hmac, inner, int, ints, NOTHING, readFields, sha256, u32, u64, Wrong } from "./wire.mjs";

// --- CHAIN.md, "Hashes" ------------------------------------------------------------------------------------------

const saltOf = (seed, version, index) => hmac(seed, ascii("argosy.salt.v1"), u64(version), u32(index));

function nextDigest(previous, version, publicPart, sealedParts, seed) {
  const commitments = sealedParts.map((part, i) => sha256(ascii("argosy.seal.v1"), saltOf(seed, version, i), part));
  return sha256(
    ascii("argosy.entry.v1"),
    previous,
    u64(version),
    u32(publicPart.length),
    publicPart,
    u32(commitments.length),
    ...commitments,
  );
}

// --- CHAIN.md, "Draws" -------------------------------------------------------------------------------------------

class Words {
  constructor(entropy) {
    this.entropy = entropy;
    this.block = 0;
    this.left = [];
  }

  next() {
    if (this.left.length === 0) {
      const block = hmac(this.entropy, u64(this.block));
      this.left = [0, 8, 16, 24].map((at) => block.readBigUInt64BE(at));
      this.block += 1;
    }
    return this.left.shift();
  }

  below(n) {
    if (n < 1) throw new Error("a draw below less than 1");
    if (n === 1) return 0;
    const bound = BigInt(n);
    const limit = (1n << 64n) - ((1n << 64n) % bound);
    let word = this.next();
    while (word >= limit) word = this.next();
    return Number(word % bound);
  }

  order(n) {
    const items = Array.from({ length: n }, (_, i) => i);
    for (let j = n - 1; j >= 1; j -= 1) {
      const k = this.below(j + 1);
      [items[j], items[k]] = [items[k], items[j]];
    }
    return items;
  }
}

const BELOW = 1;
const SHUFFLE = 2;
const SAMPLE = 3;

function checkDraws(version, draws, entropy) {
  const words = new Words(entropy);
  for (const drawn of draws.map(readFields)) {
    const [kind, bound, result] = [int(drawn, 2), int(drawn, 3), ints(drawn, 4)];
    let expected;
    if (kind === BELOW) expected = [words.below(bound)];
    else if (kind === SHUFFLE) expected = words.order(bound);
    else if (kind === SAMPLE) expected = words.order(bound).slice(0, result.length);
    else throw new Wrong(version, "a draw of an unknown kind");
    if (expected.length !== result.length || expected.some((value, i) => value !== result[i])) {
      throw new Wrong(version, "a draw does not follow from the seed");
    }
  }
  return draws.length;
}

// --- the match ---------------------------------------------------------------------------------------------------

// Who contributed what, by seat, after the platform event of an entry.
function contribute(given, cause) {
  const takes = has(cause, 2) ? inner(inner(cause, 2), 12) : has(cause, 3) ? inner(cause, 3) : undefined;
  for (const taken of all(takes ?? new Map(), 1).map(readFields)) given.set(int(taken, 1), bytes(taken, 4));
  if (has(cause, 4)) given.delete(int(inner(cause, 4), 1));
  if (has(cause, 5)) {
    const readied = inner(cause, 5);
    if (bytes(readied, 2).length > 0) given.set(int(readied, 1), bytes(readied, 2));
  }
}

function matchKey(version, seed, given, seats) {
  const parts = [];
  for (let seat = 0; seat < seats; seat += 1) {
    const bytes = given.get(seat) ?? NOTHING;
    if (bytes.length !== 0 && bytes.length !== 32) throw new Wrong(version, "a contribution has not 32 bytes");
    parts.push(bytes.length === 0 ? Buffer.from([0]) : Buffer.concat([Buffer.from([1]), bytes]));
  }
  return hmac(seed, ascii("argosy.key.v1"), ...parts);
}

function readEntry(entry, number) {
  const version = int(entry, 1);
  if (version !== number) throw new Wrong(number, `version ${version} stands in its place`);
  const sealedParts = all(entry, 4);
  if (sealedParts.length === 0) throw new Wrong(number, "there is no server's part");
  return { digest: bytes(entry, 2), publicPart: bytes(entry, 3), sealedParts };
}

function verify(file, trusted) {
  const exported = readFields(file);
  const match = bytes(exported, 2);
  const entries = all(exported, 4).map(readFields);
  if (int(exported, 1) !== 1 || match.length !== 16) throw new Error("this is no export");
  if (entries.length === 0) throw new Error("nothing in this export is opened");

  const first = readFields(readEntry(entries[0], 1).sealedParts.at(-1));
  const seed = bytes(inner(first, 15), 7);
  const created = inner(inner(readFields(bytes(entries[0], 3)), 5), 2);
  if (!bytes(created, 1).equals(match)) throw new Wrong(1, "the first entry does not create this match");
  if (!sha256(ascii("argosy.seed.v1"), match, seed).equals(bytes(created, 7))) {
    throw new Wrong(1, "the seed is not the one committed to");
  }

  const given = new Map();
  let [digest, key, decisions, draws] = [sha256(ascii("argosy.match.v1"), match), undefined, 0, 0];
  entries.forEach((entry, i) => {
    const version = i + 1;
    const { digest: told, publicPart, sealedParts } = readEntry(entry, version);
    if (sealedParts.length !== int(created, 9)) throw new Wrong(version, "another number of sealed parts");
    digest = nextDigest(digest, version, publicPart, sealedParts, seed);
    if (!digest.equals(told)) throw new Wrong(version, "the digest does not follow");

    const whole = readFields(sealedParts.at(-1));
    const server = inner(whole, 15);
    if (has(whole, 5)) contribute(given, inner(whole, 5));
    if (has(whole, 6)) key = matchKey(version, seed, given, int(inner(whole, 6), 1));
    let entropy;
    if (has(server, 1)) {
      if (int(server, 1) !== decisions || key === undefined) throw new Wrong(version, "another decision is due");
      entropy = hmac(key, ascii("argosy.decide.v1"), u64(decisions));
      decisions += 1;
    } else if (has(whole, 6)) {
      entropy = hmac(key, ascii("argosy.start.v1"));
    }
    if (entropy !== undefined) draws += checkDraws(version, all(server, 5), entropy);
  });
  const head = { match, version: entries.length, digest };
  const signed = checkResult(exported, head, trusted);
  return { match: match.toString("hex"), entries: entries.length, head: digest.toString("hex"), decisions, draws, signed };
}

try {
  const trusted = process.argv[3] && JSON.parse(readFileSync(process.argv[3], "utf8"));
  console.log(JSON.stringify(verify(readFileSync(process.argv[2]), trusted)));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
