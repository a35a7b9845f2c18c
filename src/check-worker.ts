import { handler, serveJobs } from './concurrency/serve-jobs.ts'
import { checkDatabase, checkDatabaseJob } from './db/failures/check-database.ts'
import { assertLoads } from './db/sqlite.ts'

assertLoads()

/** A worker for damage checks: with the code of other jobs, the idle process would hold more memory. */
serveJobs(new Map([[checkDatabaseJob, handler(checkDatabase)]]))
