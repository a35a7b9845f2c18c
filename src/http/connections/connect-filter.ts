/**
 * Network of an address as 32-bit words: the four bytes of an IPv4 address, or the /64 of an IPv6 address with eight groups.
 */
type Prefix = { version: 4 | 6; words: number[] }

// Opcodes of classic BPF.
const load = { byte: 0x30, word: 0x20 }
const bitwiseAnd = 0x54
const shiftRight = 0x74
const jump = { ifEqual: 0x15, ifAtLeast: 0x35 }
const returnLength = 0x06

const network = -0x100000 // base of IP header offsets; other offsets are in the TCP header
const random = -0x1000 + 56 // offset at which the kernel gives a random number
const tcpFlags = 13
const synAndAck = 0x12
const syn = 0x02
const wholePacket = 0xffffffff // bytes to accept; 0 drops the packet

/** Threshold of the random number that admits one in four connection attempts of a network at its limit. */
const admittedBelow = 0x4000_0000

const instructionBytes = 8

/**
 * Classic BPF program for a listening socket. It drops three of four connection attempts from the networks of `addresses`
 * (IPv4, or all eight groups of an IPv6 address) before they take a place in the queue. Accepted sockets inherit the filter, so
 * it passes everything that is not a SYN. Format: `struct sock_filter` of linux/filter.h.
 */
export function connectFilter(addresses: string[]): Uint8Array {
  const prefixes = addresses.map(prefixOf)
  const program: [code: number, ifTrue: number, ifFalse: number, value: number][] = [
    [load.byte, 0, 0, tcpFlags],
    [bitwiseAnd, 0, 0, synAndAck],
    [jump.ifEqual, 1, 0, syn],
    [returnLength, 0, 0, wholePacket],
    [load.word, 0, 0, random],
    [jump.ifAtLeast, 1, 0, admittedBelow],
    [returnLength, 0, 0, wholePacket],
  ]
  for (const { version, words } of prefixes) {
    const skipped = 2 * words.length + 1 // instructions to skip if the IP version differs
    program.push([load.byte, 0, 0, network], [shiftRight, 0, 0, 4], [jump.ifEqual, 0, skipped, version])
    for (const [at, word] of words.entries()) {
      const source = (version === 4 ? 12 : 8) + 4 * at
      program.push([load.word, 0, 0, network + source], [jump.ifEqual, 0, skipped - 2 - 2 * at, word])
    }
    program.push([returnLength, 0, 0, 0])
  }
  program.push([returnLength, 0, 0, wholePacket])

  const bytes = new DataView(new ArrayBuffer(program.length * instructionBytes))
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.setUint16(at * instructionBytes, code, true)
    bytes.setUint8(at * instructionBytes + 2, ifTrue)
    bytes.setUint8(at * instructionBytes + 3, ifFalse)
    bytes.setUint32(at * instructionBytes + 4, value, true)
  }
  return new Uint8Array(bytes.buffer)
}

function prefixOf(address: string): Prefix {
  if (address.includes('.')) return { version: 4, words: [wordOf(address.split('.').map(Number), 8)] }
  const groups = address.split(':').map((group) => Number.parseInt(group, 16))
  return { version: 6, words: [wordOf(groups.slice(0, 2), 16), wordOf(groups.slice(2, 4), 16)] }
}

const wordOf = (parts: number[], bits: number) => parts.reduce((sum, part) => sum * 2 ** bits + part, 0)
