import { handler, serveJobs } from './concurrency/serve-jobs.ts'
import { assertSqliteLoads } from './db/sqlite.ts'
import { answerList } from './embedded/jobs/list.ts'
import { answerQuery } from './embedded/jobs/query.ts'
import { answerEncode, encodeMetricsJob } from './embedded/ingest/otlp/decode-body.ts'
import { answerUncompress, uncompressJob } from './embedded/ingest/snappy.ts'
import { answerPieces, readPiecesJob } from './sources/prometheus/forwarded-answer.ts'
import { readAnswer, readAnswerJob } from './sources/prometheus/large-answer.ts'

Bun.unsafe.setJITPolicy(1) // ends the delayed JIT with which the executable starts: scripts/compile.mjs

// If the addon cannot be loaded, Bun returns an empty one from then on: the worker must end and be replaced.
assertSqliteLoads()

/** Jobs of a worker, by the names under which a pool requests them. */
serveJobs(
  new Map([
    ['query', handler(answerQuery)],
    ['list', handler(answerList)],
    [uncompressJob, handler(answerUncompress)],
    [encodeMetricsJob, handler(answerEncode)],
    [readAnswerJob, handler(readAnswer)],
    [readPiecesJob, handler(answerPieces)],
  ]),
)
