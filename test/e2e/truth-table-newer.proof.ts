import { startBed } from '../support/kit.ts'
import { describeOnNewer, newer } from '../support/newer-components.ts'
import { testTruthTable } from '../support/truth-table-tests.ts'

describeOnNewer('against 35 days of known truth, in versions that people run today', () => {
  testTruthTable(
    () => startBed(newer),
    [
      ['Prometheus 3', 'prometheus'],
      ['newer VictoriaMetrics', 'victoria'],
    ],
  )
})
