import { createSocket } from 'node:dgram'
import { closeLater } from './closing.ts'

/** The data of the records, or a response code; `silent`: no response. */
export type DnsAnswer = Buffer[] | 'silent' | keyof typeof codes
type Options = { asked?: (name: string) => void }

const codes = { noerror: 0, formerr: 1, servfail: 2, nxdomain: 3, notimp: 4, refused: 5 }

/**
 * Starts a name server on 127.0.0.1 that answers by name, whatever the record type. Returns its port. Closed after the test.
 */
export async function dnsServer(answers: Record<string, DnsAnswer>, { asked = () => {} }: Options = {}) {
  const socket = createSocket('udp4')
  closeLater(() => socket.close())
  socket.on('message', (message, { port, address }) => {
    const { name, end } = questionOf(message)
    asked(name)
    const answer = answers[name] ?? 'nxdomain'
    if (answer === 'silent') return
    const records = Array.isArray(answer) ? answer : []
    const head = Buffer.from(message.subarray(0, 12))
    head.writeUInt16BE(0x8180 | (Array.isArray(answer) ? 0 : codes[answer]), 2)
    head.writeUInt16BE(records.length, 6)
    head.writeUInt32BE(0, 8)
    const type = message.subarray(end - 4, end - 2)
    const lines = records.map((data) => Buffer.concat([nameOfQuestion, type, classAndTtl, uint16(data.length), data]))
    socket.send(Buffer.concat([head, message.subarray(12, end), ...lines]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return socket.address().port
}

/** Encodes record data in the wire format of RFC 1035. */
export const data = {
  address: (...numbers: number[]) => Buffer.from(numbers),
  name: (name: string) => Buffer.concat([...name.split('.').map(text), Buffer.of(0)]),
  text: (...parts: string[]) => Buffer.concat(parts.map(text)),
  exchange: (priority: number, name: string) => Buffer.concat([uint16(priority), data.name(name)]),
  service: (priority: number, weight: number, port: number, name: string) =>
    Buffer.concat([...[priority, weight, port].map(uint16), data.name(name)]),
  authority: (flags: number, tag: string, value: string) =>
    Buffer.concat([Buffer.of(flags), text(tag), Buffer.from(value)]),
}

const nameOfQuestion = Buffer.of(0xc0, 12)
const classAndTtl = Buffer.of(0, 1, 0, 0, 0, 60)

function text(part: string): Buffer {
  return Buffer.concat([Buffer.of(part.length), Buffer.from(part)])
}

function uint16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 255)
}

function questionOf(message: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 }
}
