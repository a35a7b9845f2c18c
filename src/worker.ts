import { type Handler, serveJobs } from './concurrency/serve-jobs.ts'
import { readAnswer, readAnswerJob } from './tsdb/prometheus/large-answer.ts'

/** What a worker can do, by the name under which a pool asks for it. */
const handlers = new Map<string, Handler>([[readAnswerJob, readAnswer]])

serveJobs(handlers)
