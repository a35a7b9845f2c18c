/** Slowest test files. They start first; otherwise the run would wait for them at the end. */
export const slowFiles = [
  'test/chaos/chaos.proof.ts', // as long as half of the files that it runs beside: a worker begins with it alone
  'test/embedded/heartbeats/heartbeats.test.ts',
  'test/contract/contract.test.ts',
  'test/status/self-monitoring.test.ts',
  'test/evaluation/outage.test.ts',
  'test/evaluation/gauge-slos.test.ts',
  'test/browser/walk.test.ts',
  'test/cli/import/import.test.ts',
  'test/e2e/backup.proof.ts',
  'test/auth/setup.test.ts',
  'test/app/damage.test.ts',
  'test/web/reference-page.test.ts',
  'test/cli/run.test.ts',
  'test/auth/tenancy-walk.test.ts',
  'test/auth/enumeration.test.ts',
  'test/auth/external/oidc.test.ts',
  'test/auth/mass-assignment.test.ts',
  'test/web/what-if/what-if.test.ts',
  'test/cli/listener.test.ts',
  'test/cli/lost-database.test.ts',
  'test/cli/export-samples.test.ts',
  'test/embedded/ingest/remote-write.test.ts',
  'test/cli/demo/seed.test.ts',
  'test/auth/hostile-inputs.test.ts',
  'test/evaluation/burning-timeline.test.ts',
  'test/cli/rotate-secret.test.ts',
  'test/evaluation/incident-cause.test.ts',
  'test/evaluation/edits.test.ts',
  'test/ledger/rolling-window/rolling-window.test.ts',
  'test/embedded/exposition/prometheus.test.ts',
  'test/embedded/collection/scrape-against-prometheus.test.ts',
  'test/insight/suggestions/families.test.ts',
  'test/guard/guard.test.ts',
  'test/preview/problems.test.ts',
  'test/cli/admin/admin.test.ts',
  'test/evaluation/clock-jumps.test.ts',
  'test/sources/source-credentials.test.ts',
  'test/e2e/rolling-window.proof.ts',
  'test/e2e/outage-page.proof.ts',
  'test/e2e/bucket.proof.ts',
  'test/damage/pages.proof.ts',
  'test/e2e/torture.proof.ts',
  'test/e2e/rolling-window-newer.proof.ts',
  'test/e2e/remote-write-out.proof.ts',
  'test/e2e/outage.proof.ts',
  'test/e2e/hostile-writes.proof.ts',
  'test/e2e/air-gapped.proof.ts',
  'test/e2e/truth-table.proof.ts',
  'test/e2e/clock.proof.ts',
  'test/e2e/storm.proof.ts',
  'test/e2e/truth-table-newer.proof.ts',
  'test/e2e/commit-mark.proof.ts',
  'test/e2e/incidents.proof.ts',
  'test/e2e/moment.proof.ts',
  'test/e2e/replay-bed.proof.ts',
  'test/e2e/incidents-newer.proof.ts',
  'test/e2e/suggestions.proof.ts',
  'test/e2e/readme.proof.ts',
  'test/e2e/alerts.proof.ts',
  'test/evaluation/period-end-disturbed.proof.ts',
  'test/evaluation/outage-figures.proof.ts',
  'test/attacks/sockets.proof.ts',
  'test/attacks/full-size.proof.ts',
  'test/attacks/crowds.proof.ts',
  'test/attacks/answers.proof.ts',
  'test/attacks/browse.proof.ts',
  'test/attacks/queries.proof.ts',
]

/**
 * Input for `bun test --timings` that makes it start the slow files first. bun divides the files, in the order of their values, among the
 * workers into parts of equal sums; a worker that has finished takes files of another. A file that is not listed counts as average.
 * @param {string[]} files
 */
export function timingsOf(files) {
  const places = new Map(slowFiles.map((name, place) => [name, slowFiles.length - place]))
  const valueOf = (/** @type {string} */ name) => (name === slowFiles[0] ? 1e6 : 1 + 1000 * (places.get(name) ?? 0))
  return { version: 1, files: Object.fromEntries(files.map((name) => [name, valueOf(name)])) }
}

/**
 * Formats the slowest test files, one per line: seconds, then the name. Reads the output of `bun test --update-timings`.
 * @param {{ files: Record<string, number> }} timings milliseconds by file
 * @param {number} [most]
 * @returns {string[]}
 */
export function slowestFiles({ files }, most = 20) {
  return Object.entries(files)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([name, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`)
}
