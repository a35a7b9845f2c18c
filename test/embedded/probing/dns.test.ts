import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../../support/closing.ts'
import { data, type DnsAnswer, dnsServer } from '../../support/dns-server.ts'
import { tryDns } from '../../support/probe-world.ts'

afterEach(closeAll)

/** Settings of a probe for a name server with these answers. */
const served = async (answers: Record<string, DnsAnswer>) => ({ server: `ns.example:${await dnsServer(answers)}` })

const two = [data.address(10, 0, 0, 7), data.address(10, 0, 0, 8)]

test('an answer with records is a success, and they are counted', async () => {
  expect(await tryDns('a.example', await served({ 'a.example': two }))).toEqual({
    success: true,
    error: null,
    samples: {
      probe_success: 1,
      probe_duration_seconds: expect.any(Number),
      probe_dns_lookup_time_seconds: expect.any(Number),
      probe_ip_protocol: 4,
      probe_ip_addr_hash: 3668918509,
      probe_dns_answer_rrs: 2,
      probe_dns_query_succeeded: 1,
      'probe_dns_duration_seconds phase=resolve': expect.any(Number),
      'probe_dns_duration_seconds phase=connect': 0,
      'probe_dns_duration_seconds phase=request': expect.any(Number),
    },
  })
})

test.each([
  ['nxdomain', 'the name does not exist, or has no record of this type'],
  ['noerror', 'the name does not exist, or has no record of this type'],
  ['servfail', 'the name server failed (SERVFAIL)'],
  ['refused', 'the name server refuses to answer (REFUSED)'],
  ['notimp', 'the name server does not answer such questions (NOTIMP)'],
] as const)('%s is an answer, and no success', async (answer, error) => {
  const tried = await tryDns('a.example', await served({ 'a.example': answer }))
  expect(tried).toMatchObject({ success: false, error })
  expect(tried.samples).toMatchObject({ probe_dns_query_succeeded: 1, probe_dns_answer_rrs: 0, probe_ip_protocol: 4 })
})

test('no answer is waited for until the time is over', async () => {
  const tried = await tryDns('a.example', await served({ 'a.example': 'silent' }), { timeoutMs: 60 })
  expect(tried).toMatchObject({ success: false, error: 'it took longer than 0.06 s' })
  expect(tried.samples).toMatchObject({ probe_dns_query_succeeded: 0, probe_dns_answer_rrs: 0 })
})

test('a probe that is stopped says so', async () => {
  const stopping = new AbortController()
  const port = await dnsServer({ 'a.example': 'silent' }, { asked: () => stopping.abort(new Error('nines ends')) })
  const trying = tryDns('a.example', { server: `127.0.0.1:${port}` }, { signal: stopping.signal })
  await expect(trying).rejects.toThrow('nines ends')
})

test.each([
  ['A', data.address(10, 0, 0, 7), '10.0.0.7'],
  ['AAAA', data.address(32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), '2001:db8::1'],
  ['CNAME', data.name('b.example'), 'b.example'],
  ['NS', data.name('ns1.example'), 'ns1.example'],
  ['PTR', data.name('host.example'), 'host.example'],
  ['TXT', data.text('v=spf1 -all'), 'v=spf1 -all'],
  ['MX', data.exchange(10, 'mail.example'), '10 mail.example'],
  ['SRV', data.service(1, 2, 5060, 'sip.example'), '1 2 5060 sip.example'],
  ['CAA', data.authority(0, 'issue', 'ca.example'), '0 issue "ca.example"'],
] as const)('the text of %s can be expected', async (recordType, record, text) => {
  const settings = { ...(await served({ 'a.example': [record] })), recordType }
  const literally = `^${text.replaceAll('.', '\\.')}$`
  expect(await tryDns('a.example', { ...settings, expected: literally })).toMatchObject({ error: null })
  const other = await tryDns('a.example', { ...settings, expected: `^x${text}` })
  expect(other).toMatchObject({ error: 'no record is as expected' })
  expect(other.samples).toMatchObject({ probe_success: 0, probe_dns_answer_rrs: 1, probe_dns_query_succeeded: 1 })
})

test('a long text in several strings is expected as one', async () => {
  const settings = {
    ...(await served({ 'a.example': [data.text('v=DKIM1; p=MIG', 'fMA0')] })),
    recordType: 'TXT',
  } as const
  expect(await tryDns('a.example', { ...settings, expected: '^v=DKIM1; p=MIGfMA0$' })).toMatchObject({ success: true })
})

test('one of several records is enough', async () => {
  const settings = await served({ 'a.example': two })
  expect(await tryDns('a.example', { ...settings, expected: '^10\\.0\\.0\\.8$' })).toMatchObject({ success: true })
})

test('every probe asks again', async () => {
  const asked: string[] = []
  const port = await dnsServer({ 'a.example': two }, { asked: (name) => asked.push(name) })
  for (let count = 0; count < 3; count += 1) await tryDns('a.example', { server: `ns.example:${port}` })
  expect(asked).toEqual(['a.example', 'a.example', 'a.example'])
})

test.each([
  ['127.0.0.1', 'the address 127.0.0.1 is denied (OUTBOUND_DENY)'],
  ['ns.example:5353', 'the address of the host is denied (OUTBOUND_DENY)'],
  ['::ffff:127.0.0.1', 'the address ::ffff:7f00:1 is denied (OUTBOUND_DENY)'],
  ['ns.example:99999', 'the name server is not host or host:port'],
])('the name server %s is not asked: %s', async (server, error) => {
  const tried = await tryDns('a.example', { server }, { deny: ['127.0.0.0/8'] })
  expect(tried).toMatchObject({ success: false, error, samples: { probe_dns_query_succeeded: 0 } })
})

test.each(['a..example', '.', '', `${'a'.repeat(64)}.example`, 'a.'.repeat(128)])('%p is no name', async (target) => {
  const tried = await tryDns(target, await served({}))
  expect(tried).toMatchObject({ error: 'the target is no name of the DNS', samples: { probe_dns_query_succeeded: 0 } })
})

test('a name in other letters is queried as the DNS writes it', async () => {
  const settings = await served({ 'xn--mnchen-3ya.example': two })
  expect(await tryDns('münchen.example', settings)).toMatchObject({ success: true })
})
