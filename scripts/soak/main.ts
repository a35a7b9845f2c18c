// Runs nines for a long time under load and faults. Exit code 1 if data is lost, stuck or wrong, or memory, files or
// descriptors grow.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { closeAll } from '../../test/support/closing.ts'
import { assess, reportOf } from './report.ts'
import { soak } from './soak.ts'

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' }, rate: { type: 'string' }, report: { type: 'string' } },
  allowPositionals: true,
})
const minutes = Number(positionals[0] ?? 5)
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6))
const perSecond = Number(values.rate ?? 60)
if (!(minutes >= 3 && perSecond > 0 && Number.isInteger(seed))) {
  process.stderr.write('soak [minutes, 3 at least] [--seed N] [--rate requests-a-second] [--report file.md]\n')
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void closeAll().finally(() => process.exit(130)))
}
const say = (line: string) => void process.stdout.write(`${line}\n`)
say(`soak for ${minutes} minutes, seed ${seed}`)
try {
  const outcome = await soak({ minutes, seed, perSecond, say })
  const rows = assess(outcome)
  const text = reportOf(outcome, rows)
  say(`\n${text}\n`)
  if (values.report !== undefined) writeFileSync(values.report, `${text}\n`)
  const problems = rows.flatMap(({ what, problems }) => problems.map((problem) => `${what}: ${problem}`))
  for (const problem of problems) say(problem)
  say(problems.length > 0 ? `${problems.length} problems; --seed ${seed} repeats the order` : 'all bounds kept')
  process.exitCode = problems.length > 0 ? 1 : 0
} finally {
  await closeAll()
}
process.exit()
