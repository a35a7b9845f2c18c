import { testIncidents } from '../support/incident-tests.ts'
import { startBed } from '../support/kit.ts'
import { describeOnNewer, newer } from '../support/newer-components.ts'

describeOnNewer('incidents of known truth, in versions that people run today', () => {
  testIncidents(
    () => startBed(newer),
    [
      ['Prometheus 3', 'prometheus'],
      ['newer VictoriaMetrics', 'victoria'],
    ],
  )
})
