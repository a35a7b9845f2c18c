import { handler, serveJobs } from './concurrency/serve-jobs.ts'
import { assertLoads } from './db/sqlite.ts'
import { answerList } from './embedded/jobs/list.ts'
import { answerQuery } from './embedded/jobs/query.ts'
import { answerPieces, readPiecesJob } from './sources/prometheus/forwarded-answer.ts'
import { readAnswer, readAnswerJob } from './sources/prometheus/large-answer.ts'

Bun.unsafe.setJITPolicy(1) // the executable begins with a JIT that waits longer: scripts/compile.mjs

// Where it cannot be loaded, Bun gives an empty addon from then on: the worker must end and be replaced.
assertLoads()

/** What a worker can do, by the name under which a pool asks for it. */
serveJobs(
  new Map([
    ['query', handler(answerQuery)],
    ['list', handler(answerList)],
    [readAnswerJob, handler(readAnswer)],
    [readPiecesJob, handler(answerPieces)],
  ]),
)
