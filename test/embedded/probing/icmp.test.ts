import { afterEach, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPinger, pingCommand, startFailure } from '../../../src/embedded/probing/pinger.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { tryIcmp } from '../../support/probe-world.ts'

afterEach(closeAll)

/** A program in place of `ping`, which writes its arguments to `asked`. */
function fakePing(script: string) {
  const dir = mkdtempSync(join(tmpdir(), 'nines-ping-'))
  closeLater(() => rmSync(dir, { recursive: true }))
  const program = join(dir, 'ping')
  const asked = join(dir, 'asked')
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$$" "LC_ALL=$LC_ALL" "$@" >${asked}.new\n/bin/mv ${asked}.new ${asked}\n${script}\n`,
  )
  chmodSync(program, 0o755)
  const pinger = createPinger({ find: () => program, platform: 'linux', readGroupRange: () => '1 0' })
  /** Resolves once it runs, with its process id. */
  async function started(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const watcher = watch(dir, () => existsSync(asked) && resolve())
    if (existsSync(asked)) resolve()
    await promise.finally(() => watcher.close())
    return Number(readFileSync(asked, 'utf8').split('\n')[0])
  }
  return { dir, program, pinger, started, asked: () => readFileSync(asked, 'utf8').trim().split('\n').slice(1) }
}

const says = (output: string, code = 0) => `cat <<'END'\n${output}\nEND\nexit ${code}`.replace('cat', '/bin/cat')
const reply = '64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=12.5 ms'
const failed = {
  'probe_icmp_duration_seconds phase=resolve': expect.any(Number),
  'probe_icmp_duration_seconds phase=setup': 0,
  'probe_icmp_duration_seconds phase=rtt': 0,
  probe_dns_lookup_time_seconds: expect.any(Number),
  probe_ip_protocol: 4,
  probe_ip_addr_hash: expect.any(Number),
  probe_success: 0,
  probe_duration_seconds: expect.any(Number),
}

test('a reply is a success, with the series of the blackbox exporter; only the address is given to ping', async () => {
  const { pinger, asked } = fakePing(says(reply))
  expect(await tryIcmp('router.example', { pinger, timeoutMs: 2500, lookup: async () => ['192.0.2.1'] })).toEqual({
    success: true,
    error: null,
    samples: {
      ...failed,
      probe_success: 1,
      'probe_icmp_duration_seconds phase=setup': expect.any(Number),
      'probe_icmp_duration_seconds phase=rtt': 0.0125,
      probe_icmp_reply_hop_limit: 57,
    },
  })
  expect(asked()).toEqual(['LC_ALL=C', '-n', '-c', '1', '-W', '3', '--', '192.0.2.1'])
})

test.each([
  ['64 bytes from ::1: icmp_seq=1 ttl=64 time=0.085 ms', 0.000085, 64],
  ['64 bytes from 127.0.0.1: seq=0 ttl=64 time=0.050 ms', 0.00005, 64], // BusyBox
  ['16 bytes from ::1, icmp_seq=0 hlim=63 time=0.110 ms', 0.00011, 63], // macOS
  ['64 bytes from 192.0.2.1: icmp_seq=1 ttl=255 time<1 ms', 0.001, 255],
])('%s is read', async (line, rttSeconds, hopLimit) => {
  const { pinger } = fakePing(says(`PING\n${line}\n\n--- statistics ---`))
  const { signal } = new AbortController()
  expect(await pinger.ping('192.0.2.1', { timeoutMs: 1000, signal })).toEqual({ rttSeconds, hopLimit })
})

test.each([
  ['PING 192.0.2.1\n\n1 packets transmitted, 0 received', 1, 'no reply'],
  ['From 10.0.0.1 icmp_seq=1 Destination Host Unreachable', 1, 'destination host unreachable'],
  ['From 10.0.0.1 icmp_seq=1 Time to live exceeded', 1, 'time to live exceeded'],
  ['ping: connect: Network is unreachable', 2, 'no request was sent: network is unreachable'],
  ['ping: sendmsg: Operation not permitted', 1, 'no request was sent: operation not permitted'],
  ['unknown\u0000words', 3, 'no reply'],
])('%j is the failure %3$p', async (line, code, error) => {
  const { pinger } = fakePing(`{ ${says(line, code)}\n} >&${line.startsWith('ping') ? 2 : 1}`)
  expect(await tryIcmp('probe.example', { pinger })).toEqual({ success: false, error, samples: failed })
})

test.each([
  [
    'ping: socktype: SOCK_RAW\nping: socket: Operation not permitted\nping: => missing cap_net_raw+p capability or setuid?',
  ],
  ['ping: permission denied (are you root?)'],
])('a machine that forbids it: %j', async (errors) => {
  const { pinger, program } = fakePing(`{ ${says(errors, 2)}\n} >&2`)
  const why =
    '`ping` is not allowed to send on this machine: net.ipv4.ping_group_range is "1 0": set it to "0 2147483647" ' +
    `(\`sysctl -w\`, or \`--sysctl\` of a container), or give it the capability (\`setcap cap_net_raw+ep ${program}\`)`
  expect(await pinger.whyNot()).toBe(why)
  expect(await tryIcmp('probe.example', { pinger })).toMatchObject({ success: false, error: why })
})

test('a ping that is missing, or cannot be started, is named', async () => {
  const { program, pinger } = fakePing('')
  chmodSync(program, 0o644)
  expect(await pinger.whyNot()).toBe('`ping` could not be started (EACCES)')
  rmSync(program)
  expect(await pinger.whyNot()).toBe('`ping` could not be started (ENOENT)')
  expect(startFailure('EPERM', '/bin/ping')).toStartWith(
    '`/bin/ping` needs the capability NET_RAW, which nines is not allowed',
  )
  const without = createPinger({ find: () => null, platform: 'linux' })
  const why = 'there is no `ping` on this machine: install it (Debian: apt-get install iputils-ping)'
  expect(await without.whyNot()).toBe(why)
  expect(await tryIcmp('probe.example', { pinger: without })).toMatchObject({ success: false, error: why })
})

test('a machine whose network fails may ping', async () => {
  expect(await fakePing(`{ ${says('ping: connect: Network is unreachable', 2)}\n} >&2`).pinger.whyNot()).toBeNull()
  expect(await fakePing(says(reply)).pinger.whyNot()).toBeNull()
})

test('ping is killed at the timeout, and when nines stops; it has ended by then', async () => {
  const late = fakePing('exec /bin/sleep 600')
  expect(await tryIcmp('probe.example', { pinger: late.pinger, timeoutMs: 2000 })).toMatchObject({
    success: false,
    error: 'it took longer than 2 s',
  })
  const stopped = fakePing('exec /bin/sleep 600')
  const stop = new AbortController()
  const running = tryIcmp('probe.example', { pinger: stopped.pinger, signal: stop.signal })
  const id = await stopped.started()
  stop.abort(new Error('nines stops'))
  await expect(running).rejects.toThrow('nines stops')
  expect(() => process.kill(id, 0)).toThrow('ESRCH')
})

test('128 run at once, the others wait, and those that are given up never start', async () => {
  const { pinger, asked, started } = fakePing('exec /bin/sleep 600')
  const stop = new AbortController()
  const ping = (address: string, signal: AbortSignal) => pinger.ping(address, { timeoutMs: 1000, signal })
  const running = Array.from({ length: 128 }, () => ping('192.0.2.1', stop.signal))
  await started()
  const gaveUp = new AbortController()
  const waiting = ping('192.0.2.2', gaveUp.signal)
  gaveUp.abort(new Error('given up'))
  await expect(waiting).rejects.toThrow('given up')
  stop.abort(new Error('over'))
  for (const { status } of await Promise.allSettled(running)) expect(status).toBe('rejected')
  expect(asked()).not.toContain('192.0.2.2')
})

test.each(['-f', '--help', '-I', '$(touch /tmp/x)', ';ls', '192.0.2.1 -f', 'fe80::1%$(id)', ''])(
  'the hostile target %j is resolved or refused, and reaches no program',
  async (target) => {
    const { pinger, dir } = fakePing(says(reply))
    const tried = await tryIcmp(target, { pinger, lookup: async () => Promise.reject(new Error('ENOTFOUND')) })
    expect(tried.success).toBe(false)
    expect(existsSync(join(dir, 'asked'))).toBe(false)
    expect(() => pingCommand(target, 1000, 'linux')).toThrow('not an address')
  },
)

test('addresses that may not be reached are not pinged', async () => {
  const { pinger, dir } = fakePing(says(reply))
  const tried = await tryIcmp('2130706433', { pinger, deny: ['127.0.0.0/8'] }) // 127.0.0.1 as a number
  expect(tried).toMatchObject({ success: false, error: 'the address 127.0.0.1 is denied (OUTBOUND_DENY)' })
  expect(existsSync(join(dir, 'asked'))).toBe(false)
})

test.each([
  ['linux', '192.0.2.1', ['ping', '-n', '-c', '1', '-W', '2', '--', '192.0.2.1']],
  ['linux', '2001:db8::1', ['ping', '-n', '-c', '1', '-W', '2', '--', '2001:db8::1']],
  ['darwin', '192.0.2.1', ['ping', '-n', '-c', '1', '-W', '1200', '--', '192.0.2.1']],
  ['darwin', '2001:db8::1', ['ping6', '-n', '-c', '1', '--', '2001:db8::1']],
] as const)('on %s, %s is pinged by %j', (platform, address, command) => {
  expect(pingCommand(address, 1200, platform)).toEqual([...command])
})

const isWithout = Bun.which('ping') === null
if (isWithout)
  process.stderr.write('Skipped, "the system\'s ping": not installed (Debian: apt-get install iputils-ping)\n')
const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'))

test.skipIf(isWithout && process.env['CI'] !== 'true')('the system’s ping reaches this machine', async () => {
  expect(await createPinger().whyNot()).toBeNull()
  for (const address of ['127.0.0.1', ...(hasIpv6 ? ['::1'] : [])]) {
    const { error, samples } = await tryIcmp('probe.example', { lookup: async () => [address] })
    expect(error).toBeNull()
    expect(samples).toMatchObject({ probe_success: 1, probe_ip_protocol: address === '::1' ? 6 : 4 })
    expect(samples['probe_icmp_reply_hop_limit']).toBe(64)
    expect(samples['probe_icmp_duration_seconds phase=rtt']).toBeGreaterThan(0)
  }
})
