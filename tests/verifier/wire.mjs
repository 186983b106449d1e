// Bytes: hashes, numbers, and the protobuf wire format.

import { createHash, createHmac } from "node:crypto";

export class Wrong extends Error {
  constructor(version, text) {
    super(`version ${version}: ${text}`);
  }
}

export const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
export const hmac = (key, ...parts) => parts.reduce((mac, part) => mac.update(part), createHmac("sha256", key)).digest();
export const ascii = (text) => Buffer.from(text, "ascii");

export function u32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function u64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

// --- protobuf wire format: fields by number, each with all its values in order -----------------------------------

function readVarint(data, start) {
  let value = 0n;
  for (let at = start, shift = 0n; at < data.length && shift < 70n; at += 1, shift += 7n) {
    value |= BigInt(data[at] & 0x7f) << shift;
    if (data[at] < 0x80) return [value, at + 1];
  }
  throw new Error("a number that does not end");
}

export function readFields(data) {
  const fields = new Map();
  let at = 0;
  while (at < data.length) {
    let tag;
    [tag, at] = readVarint(data, at);
    const wire = Number(tag & 7n);
    let value;
    if (wire === 0) {
      [value, at] = readVarint(data, at);
    } else {
      let length = { 1: 8n, 5: 4n }[wire];
      if (wire === 2) [length, at] = readVarint(data, at);
      if (length === undefined || BigInt(at) + length > BigInt(data.length)) throw new Error("a field that does not end");
      value = data.subarray(at, at + Number(length));
      at += Number(length);
    }
    const number = Number(tag >> 3n);
    if (!fields.has(number)) fields.set(number, []);
    fields.get(number).push(value);
  }
  return fields;
}

export const NOTHING = Buffer.alloc(0);
export const all = (message, number) => message.get(number) ?? [];
export const has = (message, number) => message.has(number);
export const bytes = (message, number) => all(message, number).at(-1) ?? NOTHING;
export const int = (message, number) => Number(BigInt.asIntN(64, all(message, number).at(-1) ?? 0n));
// Pieces of one submessage are one message: joined, as protobuf merges them.
export const inner = (message, number) => readFields(Buffer.concat(all(message, number)));

export function ints(message, number) {
  const found = [];
  for (const value of all(message, number)) {
    if (typeof value === "bigint") {
      found.push(Number(value));
      continue;
    }
    for (let at = 0; at < value.length; ) {
      let one;
      [one, at] = readVarint(value, at);
      found.push(Number(one));
    }
  }
  return found;
}
