import { handler, serveJobs } from './concurrency/serve-jobs.ts'
import { checkDatabase, checkDatabaseJob } from './db/failures/check-database.ts'
import { assertSqliteLoads } from './db/sqlite.ts'

assertSqliteLoads()

/** A separate worker for damage checks: loading the code of other jobs would leave the idle process with more memory. */
serveJobs(new Map([[checkDatabaseJob, handler(checkDatabase)]]))
