import { type Handler, serveJobs } from './concurrency/serve-jobs.ts'

/** What a worker can do, by the name under which a pool asks for it. */
const handlers = new Map<string, Handler>()

serveJobs(handlers)
