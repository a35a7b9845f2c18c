import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { onAbort } from '../../concurrency/abort.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import { AppError } from '../../errors.ts'
import { ProbeFailure } from './connect.ts'

/** Reply to an echo request. `hopLimit`: TTL of IPv4, hop limit of IPv6. */
type Reply = { rttSeconds: number; hopLimit: number }

/** Sends ICMP echo requests by the system's `ping`, because Bun has no sockets for them. */
export type Pinger = {
  /**
   * Sends one request to an address that outbound rules allow. Throws `ProbeFailure` without a reply, `unavailable` if nines lacks
   * what `ping` needs. `ping` has ended once this settles.
   */
  ping(address: string, options: { timeoutMs: number; signal: AbortSignal }): Promise<Reply>
  /** Why this machine does not allow it, and what to do; null if it does, or if that is not known. */
  whyNot(): Promise<string | null>
}

type Options = {
  platform?: NodeJS.Platform
  /** Path of `ping`; null if there is none. */
  find?: () => string | null
  /** Content of `net.ipv4.ping_group_range`; null where there is none. */
  readGroupRange?: () => string | null
}

type Ended = { code: number; output: string; errors: string }

const maxProcesses = 128 // as many as the collector runs at once
const testTimeoutMs = 1000
/** Codes of an error of a process that could not be started for want of descriptors, memory or processes. */
const lackCodes = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])

export function createPinger(options: Options = {}): Pinger {
  const { platform = process.platform, find = findPing, readGroupRange = groupRange } = options
  const processes = createSemaphore(maxProcesses)

  /** `ping` as it ended, or why it cannot run here. */
  async function send(address: string, timeoutMs: number, signal: AbortSignal): Promise<Ended | string> {
    const [name, ...args] = pingCommand(address, timeoutMs, platform)
    const program = name === 'ping' ? find() : Bun.which(name)
    if (program === null)
      return `there is no \`${name}\` on this machine: install it (Debian: apt-get install iputils-ping)`
    try {
      const ended = await processes.run(() => runProgram([program, ...args], signal), { signal })
      return ended.code !== 0 && isForbidden.test(ended.errors) ? notAllowed(program, readGroupRange()) : ended
    } catch (error) {
      signal.throwIfAborted()
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (code === '') throw error
      if (lackCodes.has(code))
        throw new AppError('unavailable', `\`ping\` could not be started (${code})`, { cause: error })
      return startFailure(code, program)
    }
  }

  return {
    async ping(address, { timeoutMs, signal }) {
      const ended = await send(address, timeoutMs, signal)
      signal.throwIfAborted()
      if (typeof ended === 'string') throw new ProbeFailure(ended)
      return replyIn(ended.output) ?? noReply(ended)
    },
    async whyNot() {
      const ended = await send('127.0.0.1', testTimeoutMs, AbortSignal.timeout(2 * testTimeoutMs)).catch(() => null)
      return typeof ended === 'string' ? ended : null
    },
  }
}

/**
 * Program and arguments for one echo request. It ends by itself after `timeoutMs`, also if nines is killed; `-W` is in
 * milliseconds on macOS, whose `ping6` has no such option.
 */
export function pingCommand(address: string, timeoutMs: number, platform: NodeJS.Platform): [string, ...string[]] {
  if (isIP(address) === 0) throw new Error('not an address')
  const once = ['-n', '-c', '1']
  if (platform !== 'darwin') return ['ping', ...once, '-W', String(Math.ceil(timeoutMs / 1000)), '--', address]
  if (isIP(address) === 6) return ['ping6', ...once, '--', address]
  return ['ping', ...once, '-W', String(Math.ceil(timeoutMs)), '--', address]
}

async function runProgram(command: string[], signal: AbortSignal): Promise<Ended> {
  signal.throwIfAborted()
  const child = Bun.spawn(command, {
    cwd: '/',
    env: { LC_ALL: 'C' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  using _ = onAbort(signal, () => child.kill('SIGKILL'))
  const [code, output, errors] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  return { code, output, errors }
}

function replyIn(output: string): Reply | null {
  const [, hopLimit, ms] = /\b(?:ttl|hlim)=(\d+) time[=<]([\d.]+) ?ms/.exec(output) ?? []
  return ms === undefined ? null : { rttSeconds: Math.round(Number(ms) * 1000) / 1e6, hopLimit: Number(hopLimit) }
}

/** Throws the reason that a router, or `ping` itself, gives. */
function noReply({ output, errors }: Ended): never {
  const [, said] = /^From \S+ icmp_seq=\d+ ([A-Z][\w :,-]{1,80})$/m.exec(output) ?? []
  if (said !== undefined) throw new ProbeFailure(said.toLowerCase())
  const [, why] = /^ping6?: (?:\w+: )*([A-Z][\w ,-]{1,80})$/m.exec(errors) ?? []
  throw new ProbeFailure(why === undefined ? 'no reply' : `no request was sent: ${why.toLowerCase()}`)
}

/** Messages of iputils, BusyBox and macOS. A firewall that lets nothing out is another error, of `sendmsg`. */
const isForbidden =
  /socket: (?:operation not permitted|permission denied)|permission denied \(are you root|cap_net_raw/i

function notAllowed(program: string, range: string | null): string {
  const setting =
    range === null
      ? ''
      : `net.ipv4.ping_group_range is "${range}": set it to "0 2147483647" (\`sysctl -w\`, or \`--sysctl\` of a container), or `
  return `\`ping\` is not allowed to send on this machine: ${setting}give it the capability (\`setcap cap_net_raw+ep ${program}\`)`
}

/** Reason for a program that does not start, by the code of the error. `EPERM`: it has a capability that the container lacks. */
export function startFailure(code: string, program: string): string {
  if (code !== 'EPERM') return `\`ping\` could not be started (${code})`
  return (
    `\`${program}\` needs the capability NET_RAW, which nines is not allowed here: allow it (\`--cap-add NET_RAW\` of a container, ` +
    `CapabilityBoundingSet= of systemd), or take it from ping (\`setcap -r ${program}\`) and set net.ipv4.ping_group_range to "0 2147483647"`
  )
}

function findPing(): string | null {
  return Bun.which('ping')
}

function groupRange(): string | null {
  try {
    return readFileSync('/proc/sys/net/ipv4/ping_group_range', 'utf8').trim().split(/\s+/).join(' ')
  } catch {
    return null
  }
}
