import { setTimeout as sleep } from 'node:timers/promises'
import { startTimetable } from '../../../src/jobs/timetable.ts'
import { openNines } from '../support/nines-here.ts'
import { signUp } from '../support/processes.ts'
import { maxTurnMs } from '../support/stall.ts'

/** Output of this script, as JSON. CPU of all threads in seconds, or in percent of a processor; turns in milliseconds of CPU. */
export type Report = {
  learningSeconds: number
  learningCpu: number
  goodCpu: number
  failingTurn: number
  upTurn: number
  incidents: number
}

const goodSeconds = 120
const failingSeconds = 90 // an interval, both confirmations, and the next round
const upSeconds = 150

const [count = '', site = '', control = ''] = process.argv.slice(2)
const env = { SOURCE_URL: 'embedded', QUOTA_PROBES: count, QUOTA_SLOS: count }
const nines = openNines(env)
const { send } = await signUp(nines)
for (let at = 0; at < Number(count); at += 1) {
  const name = `site${at}`
  await send('POST', '/api/v1/embedded/probes', { name, type: 'http', target: `${site}${at}`, interval_seconds: 30 })
  await send('POST', '/api/v1/slos', {
    name: `Site ${at}`,
    target: 99.9,
    time_window: '30d',
    metric_type: 'availability',
    metric_query: `probe_success{job="${name}"}`,
  })
}
const timetable = startTimetable(nines.app)
const learned = await cpuDuring(async () => {
  while (await isBackfilling()) await sleep(1000)
})
await sleep(60_000) // a round with all that the backfills found
const good = await cpuDuring(() => sleep(goodSeconds * 1000))
await fetch(`${control}503`)
const failingTurn = await maxTurnMs(() => sleep(failingSeconds * 1000))
await fetch(`${control}200`)
const upTurn = await maxTurnMs(() => sleep(upSeconds * 1000))
const incidents = (await nines.app.db.read.selectFrom('incidents').select('id').execute()).length
const report: Report = {
  learningSeconds: learned.seconds,
  learningCpu: learned.cpuSeconds,
  goodCpu: (100 * good.cpuSeconds) / good.seconds,
  failingTurn,
  upTurn,
  incidents,
}
process.stdout.write(JSON.stringify(report))
timetable.stop()
process.exit(0)

async function isBackfilling(): Promise<boolean> {
  const toDo = nines.app.db.read.selectFrom('backfills').select('slo_id').where('status', 'in', ['waiting', 'running'])
  return (await toDo.executeTakeFirst()) !== undefined
}

async function cpuDuring(work: () => Promise<unknown>) {
  const [before, began] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { cpuSeconds: (user + system) / 1e6, seconds: (performance.now() - began) / 1000 }
}
