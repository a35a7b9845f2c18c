import { dlopen, ptr } from 'bun:ffi'
import { closeSync, constants, openSync, readdirSync, readFileSync } from 'node:fs'
import { connectFilter } from './connect-filter.ts'

/** Accepted connection, as the kernel reports it. */
export type Connection = {
  descriptor: number
  ip: string
  port: number
  /** True if the client has acknowledged any bytes sent to it. */
  isAnswered: boolean
  /** Milliseconds since the client last sent data. */
  silentMs: number
}

/** Sockets of a listener. Bun's server exposes too little about them, and has too few settings, to keep them bounded. */
export type Sockets = {
  openDescriptors(): number
  connections(): Connection[]
  /** Ends a connection. The server sees it as closed by the peer, and closes it too. */
  end(connection: Connection): void
  /** Sets how many connections may wait to be accepted. */
  setBacklog(count: number): void
  setAccepting(isAccepting: boolean): void
  /** Drops most connection attempts from the networks of these addresses, before they enter the queue. */
  setThrottledNetworks(addresses: string[]): void
  close(): void
}

const functions = {
  getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
  getpeername: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  listen: { args: ['i32', 'i32'], returns: 'i32' },
  shutdown: { args: ['i32', 'i32'], returns: 'i32' },
  lseek: { args: ['i32', 'i64', 'i32'], returns: 'i64' },
  epoll_ctl: { args: ['i32', 'i32', 'i32', 'ptr'], returns: 'i32' },
} as const

const musl = `libc.musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`
// Offsets and constants of C: struct linux_dirent64, tcp_info, IPPROTO_TCP, SHUT_RDWR, SOL_SOCKET, SO_…_FILTER, EPOLL_…
const lengthOffset = 16
const nameOffset = 19
const tcpLevel = 6
const tcpInfo = 11
const lastDataReceivedOffset = 52
const bytesAckedOffset = 120
const shutdownBoth = 2
const socketLevel = 1
const attachFilter = 26
const detachFilter = 27
const modifyEvents = 3
const readable = 1

/** Sockets of the listener on a TCP port; undefined if there is none, or the system is not Linux. */
export function openSockets(port: number): Sockets | undefined {
  const libc = process.platform === 'linux' ? loadLibrary() : undefined
  return libc && socketsOf(libc, port)
}

function socketsOf(libc: Library, port: number): Sockets | undefined {
  const folder = openSync('/proc/self/fd', constants.O_RDONLY | constants.O_DIRECTORY)
  const address = new DataView(new ArrayBuffer(128))
  const info = new DataView(new ArrayBuffer(256))
  const size = new Uint32Array(1)
  const entries = Buffer.alloc(32_768)
  let program = connectFilter([]) // keeps the program referenced: the kernel reads it by its address

  /** Lists open descriptors without opening one: there may be none left. */
  function descriptors(): number[] {
    const numbers: number[] = []
    libc.lseek(folder, 0, 0)
    for (let bytes = libc.getdents64(folder, entries, entries.length); bytes > 0;) {
      for (let at = 0; at < bytes; at += entries.readUInt16LE(at + lengthOffset)) {
        const name = entries.toString('latin1', at + nameOffset, entries.indexOf(0, at + nameOffset))
        if (name !== '.' && name !== '..') numbers.push(Number(name))
      }
      bytes = libc.getdents64(folder, entries, entries.length)
    }
    return numbers
  }

  function readAddress(lookUp: typeof libc.getsockname, descriptor: number): boolean {
    size[0] = address.byteLength
    return lookUp(descriptor, bytesOf(address), size) === 0
  }

  const hasOurPort = (descriptor: number) => readAddress(libc.getsockname, descriptor) && address.getUint16(2) === port
  const listener = descriptors().find((one) => hasOurPort(one) && !readAddress(libc.getpeername, one))
  if (listener === undefined) {
    closeSync(folder)
    return undefined
  }
  const poll = pollOf(listener)

  function read(descriptor: number): Connection[] {
    if (descriptor === listener || !hasOurPort(descriptor) || !readAddress(libc.getpeername, descriptor)) return []
    const ip = ipOf(address)
    if (ip === undefined) return []
    size[0] = info.byteLength
    libc.getsockopt(descriptor, tcpLevel, tcpInfo, bytesOf(info), size)
    const isAnswered = info.getBigUint64(bytesAckedOffset, true) > 1n // the handshake may count as one byte
    const silentMs = info.getUint32(lastDataReceivedOffset, true)
    return [{ descriptor, ip, port: address.getUint16(2), isAnswered, silentMs }]
  }

  return {
    openDescriptors: () => descriptors().length,
    connections: () => descriptors().flatMap(read),
    end: ({ descriptor }) => void libc.shutdown(descriptor, shutdownBoth),
    setBacklog: (count) => void libc.listen(listener, count),
    setAccepting(isAccepting) {
      if (!poll) return
      const isPacked = process.arch === 'x64' // struct epoll_event has no padding there
      const event = new DataView(new ArrayBuffer(isPacked ? 12 : 16))
      event.setUint32(0, isAccepting ? readable : 0, true)
      event.setBigUint64(isPacked ? 4 : 8, poll.data, true)
      libc.epoll_ctl(poll.descriptor, modifyEvents, listener, bytesOf(event))
    },
    setThrottledNetworks(addresses) {
      program = connectFilter(addresses)
      const filter = new DataView(new ArrayBuffer(16)) // struct sock_fprog
      filter.setUint16(0, program.length / 8, true)
      filter.setBigUint64(8, BigInt(ptr(program)), true)
      const option = addresses.length > 0 ? attachFilter : detachFilter
      libc.setsockopt(listener, socketLevel, option, bytesOf(filter), filter.byteLength)
    },
    close: () => closeSync(folder),
  }
}

type Library = NonNullable<ReturnType<typeof loadLibrary>>

function loadLibrary() {
  const getdents = { args: ['i32', 'ptr', 'i32'], returns: 'i32' } as const
  try {
    return dlopen('libc.so.6', { ...functions, getdents64: getdents }).symbols
  } catch {} // no glibc
  try {
    const { getdents: getdents64, ...rest } = dlopen(musl, { ...functions, getdents }).symbols
    return { ...rest, getdents64 }
  } catch {
    return undefined
  }
}

/** The epoll descriptor that watches the listener, and the user data registered with it. */
function pollOf(listener: number): { descriptor: number; data: bigint } | undefined {
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const text = contentOf(`/proc/self/fdinfo/${name}`)
    const data = new RegExp(`^tfd: +${listener} events: +[0-9a-f]+ data: +([0-9a-f]+)`, 'm').exec(text)?.[1]
    if (data !== undefined) return { descriptor: Number(name), data: BigInt(`0x${data}`) }
  }
  return undefined
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return '' // closed in the meantime
  }
}

/** Text of an IPv4 address, also if mapped into IPv6, or of an IPv6 address as all eight groups. */
function ipOf(address: DataView): string | undefined {
  const family = address.getUint16(0, true)
  const numbers = (from: number) => [0, 1, 2, 3].map((at) => address.getUint8(from + at)).join('.')
  if (family === 2) return numbers(4)
  if (family !== 10) return undefined
  const groups = Array.from({ length: 8 }, (_, at) => address.getUint16(8 + 2 * at).toString(16))
  return groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff' ? numbers(20) : groups.join(':')
}

const bytesOf = (view: DataView) => new Uint8Array(view.buffer)
