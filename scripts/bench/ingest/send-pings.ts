import { setTimeout as sleep } from 'node:timers/promises'

/** Sends pings at an even rate for some time, from a process of its own. Arguments: file with addresses, pings a second, seconds. */
const [file = '', rate = '100', seconds = '30'] = process.argv.slice(2)
const addresses: string[] = await Bun.file(file).json()
const periodMs = 1000 / Number(rate)
const count = Number(rate) * Number(seconds)
const beganMs = performance.now()
let failed = 0
const sent: Promise<void>[] = []
for (let at = 0; at < count; at += 1) {
  const waitMs = beganMs + at * periodMs - performance.now()
  if (waitMs > 0) await sleep(waitMs)
  const ping = async () => {
    const answer = await fetch(addresses[at % addresses.length] ?? '')
    if (answer.status !== 200 || (await answer.text()) !== 'OK') failed += 1
  }
  sent.push(ping())
}
await Promise.all(sent)
if (failed > 0) throw new Error(`${failed} of ${count} pings were refused`)
